#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "framework/device/backend_tables.h"
#include "framework/plugin/elf_note.h"
#include "framework/plugin/library.h"
#include "framework/plugin/negotiation.h"
#include "tests/framework/plugin/load_error_matcher.h"
#include "tests/support/plugins/plugin_folder.h"

namespace loci::plugin {
namespace {

using device::BackendTables;
using device::take_backend_tables;
using test::EnvironmentGuard;
using test::load_error_of;
using testing::HasSubstr;

struct Started {
  explicit Started(const std::string& name)
      : path(test::built_plugin(name).string()),
        manifest(parse_manifest(read_manifest_note(path))) {
    const loci_host_info info = host_info(this_host());
    const Library library(path, manifest.needs);
    const loci_plugin_desc* desc = library.query_function()(&info);
    instance = std::make_unique<Instance>(manifest.id, path, *desc);
  }

  BackendTables take() { return take_backend_tables(*instance, manifest); }

  std::string path;
  Manifest manifest;
  std::unique_ptr<Instance> instance;
};

LoadError error_with(const char* fault) {
  const EnvironmentGuard guard("LOCI_TEST_FAULT", fault);
  Started started("faulty");
  return load_error_of([&] { started.take(); });
}

TEST(BackendTables, TakesBothTables) {
  Started started("minimal");
  const BackendTables tables = started.take();
  ASSERT_NE(tables.device, nullptr);
  EXPECT_EQ(tables.device->device_type, "minimal");
  EXPECT_EQ(tables.device->score, 1);
  EXPECT_EQ(tables.device->plugin, started.instance.get());
  EXPECT_NE(tables.device->api.open, nullptr);
  EXPECT_EQ(tables.device->api.mem_alloc, nullptr);
  EXPECT_EQ(tables.unavailable, "");
  ASSERT_NE(tables.kernels, nullptr);
  EXPECT_EQ(tables.kernels->device_type, "minimal");
  ASSERT_EQ(tables.kernels->defs.size(), 1u);
  EXPECT_EQ(std::string(tables.kernels->defs[0]->op.data, tables.kernels->defs[0]->op.size),
            "assign");
  EXPECT_EQ(tables.kernels->defs_of("assign"), tables.kernels->defs);
  EXPECT_THAT(tables.kernels->defs_of("relu"), testing::IsEmpty());
}

float launch_on(const loci_prepared_info& prepared, float source) {
  float target = 0;
  loci_view in{};
  in.data = &source;
  in.bytes = sizeof source;
  loci_view out = in;
  out.data = &target;
  const loci_view* inputs[] = {&in};
  const loci_view* outputs[] = {&out};
  loci_launch launch{};
  launch.inputs = inputs;
  launch.outputs = outputs;
  EXPECT_EQ(prepared.launch(prepared.prepared, &launch), nullptr);
  return target;
}

// The tables are usable through the ABI alone, by a plugin in C.
TEST(BackendTables, AKernelRuns) {
  Started started("minimal");
  const BackendTables tables = started.take();
  const loci_kernels_api& api = tables.kernels->api;
  loci_plugin* plugin = started.instance->handle();
  const loci_kernel_def* def = tables.kernels->defs[0];

  loci_arg arg{};
  arg.dtype = LOCI_DTYPE_F32;
  loci_op_desc op{};
  op.struct_size = sizeof op;
  op.inputs = op.outputs = &arg;
  loci_reason reason{};
  ASSERT_EQ(api.supports(plugin, def, &op, &reason), 1);

  loci_device* device = nullptr;
  ASSERT_EQ(tables.device->api.open(plugin, 0, &device), nullptr);
  loci_kernel* kernel = nullptr;
  ASSERT_EQ(api.create(plugin, def, device, &op, &kernel), nullptr);
  loci_prepared_info prepared{};
  prepared.struct_size = sizeof prepared;
  ASSERT_EQ(api.prepare(kernel, &op, &prepared), nullptr);
  EXPECT_EQ(launch_on(prepared, 7.5F), 7.5F);

  api.destroy_prepared(prepared.prepared);
  api.destroy(kernel);
  tables.device->api.close(device);
}

TEST(BackendTables, KernelsAloneWillDo) {
  const EnvironmentGuard guard("LOCI_TEST_FAULT", "kernels_alone");
  Started started("faulty");
  const BackendTables tables = started.take();
  EXPECT_EQ(tables.device, nullptr);
  EXPECT_NE(tables.kernels, nullptr);
}

TEST(BackendTables, AProbeThatFindsNothingIsNoFailure) {
  const EnvironmentGuard score("LOCI_MINIMAL_SCORE", "0");
  Started started("minimal");
  const BackendTables tables = started.take();
  EXPECT_EQ(tables.device->score, 0);
  EXPECT_EQ(tables.unavailable, "the configured score is 0");
}

TEST(BackendTables, AProbeWithoutAReasonSaysSo) {
  const EnvironmentGuard guard("LOCI_TEST_FAULT", "no_reason");
  Started started("faulty");
  EXPECT_EQ(started.take().unavailable, "its probe gave no reason");
}

TEST(BackendTables, RefusesFaultyTables) {
  EXPECT_THAT(error_with("no_tables").cause(), HasSubstr("neither loci.device nor loci.kernels"));
  EXPECT_EQ(error_with("tiny_table").cause(), "its loci.device states a size of 4 bytes");
  EXPECT_EQ(error_with("no_open").cause(), "its loci.device lacks open");
  EXPECT_EQ(error_with("other_device_type").cause(),
            "its loci.device is for the device type 'another', and its manifest has 'faulty'");
  EXPECT_EQ(error_with("null_defs").cause(), "its defs gave NULL for 1 kernels");
  EXPECT_THAT(error_with("small_def").cause(), HasSubstr("its kernel 0 states a size of 8 bytes"));
  EXPECT_EQ(error_with("nameless_op").cause(), "its kernel 0 has no op or no name");
  EXPECT_EQ(error_with("no_version").cause(),
            "its kernel 0 names no version of its op; set op_version");
}

TEST(BackendTables, RefusesMoreKernelsThanThereAre) {
  const EnvironmentGuard guard("LOCI_TEST_LIE", "kernels");
  Started started("risky");
  EXPECT_EQ(load_error_of([&] { started.take(); }).cause(),
            "its defs gave 1099511627776 kernels; there are at most 65536");
}

TEST(BackendTables, ReadsNoTextOfAWildLength) {
  const EnvironmentGuard guard("LOCI_TEST_LIE", "kernel name");
  Started started("risky");
  EXPECT_EQ(load_error_of([&] { started.take(); }).cause(),
            "its kernel 0's name states a length of 1152921504606846976 bytes; at most 65536 are "
            "read");
}

TEST(BackendTables, RefusesAFailingProbe) {
  EXPECT_EQ(error_with("probe_throws").cause(), "its probe let an exception escape: out of probe");
  EXPECT_EQ(error_with("probe_fails").cause(),
            "its probe failed: the probe found nothing (caused by: the root of it)");
}

}  // namespace
}  // namespace loci::plugin
