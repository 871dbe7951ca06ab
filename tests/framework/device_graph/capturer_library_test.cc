#include "framework/device_graph/capturer_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <loci/abi/plugin.h>

#include <functional>
#include <memory>
#include <string>

#include "framework/core/abi/error.h"
#include "tests/framework/plugin/load_error_matcher.h"

namespace loci::plugin {
namespace {

using device_graph::CapturerLibrary;
using device_graph::take_capturer;
using test::load_error_of;

const void* given_capture_table = nullptr;

loci_error* create(const loci_host_api*, const loci_kv*, std::uint64_t, loci_plugin** out_plugin) {
  static int instance;
  *out_plugin = reinterpret_cast<loci_plugin*>(&instance);
  return nullptr;
}
void destroy(loci_plugin*) {}
loci_error* get_interface(loci_plugin*, loci_str name, std::uint32_t, const void** out_table) {
  *out_table = core::from_abi(name) == LOCI_CAPTURE_INTERFACE ? given_capture_table : nullptr;
  return nullptr;
}

// A function that is never called, of any type.
template <class Result, class... Arguments>
void fill(Result (*&member)(Arguments...)) {
  member = [](Arguments...) { return Result(); };
}

class CapturerLibraryTest : public ::testing::Test {
 protected:
  CapturerLibraryTest() {
    api_.struct_size = sizeof api_;
    api_.device_type = core::to_abi("npu");
    fill(api_.open);
    fill(api_.close);
    fill(api_.begin);
    fill(api_.annotate);
    fill(api_.end);
    fill(api_.abort);
    fill(api_.status);
    fill(api_.stats);
    fill(api_.dump);
    fill(api_.destroy_graph);
    fill(api_.instantiate);
    fill(api_.launch);
    fill(api_.patch);
    fill(api_.update);
    fill(api_.destroy_exec);
    given_capture_table = &api_;
    manifest_.lists["device_types"] = {"npu"};
    loci_plugin_desc desc{};
    desc.struct_size = sizeof desc;
    desc.create = create;
    desc.destroy = destroy;
    desc.get_interface = get_interface;
    instance_ = std::make_unique<Instance>("org.loci.test.graphs", "graphs.so", desc);
  }

  std::string cause() {
    return load_error_of([&] { (void)take_capturer(*instance_, manifest_); }).cause();
  }

  loci_capture_api api_{};
  Manifest manifest_;
  std::unique_ptr<Instance> instance_;
};

TEST_F(CapturerLibraryTest, TakesATable) {
  const CapturerLibrary library = take_capturer(*instance_, manifest_);
  EXPECT_EQ(library.plugin, instance_.get());
  EXPECT_EQ(library.device_type, "npu");
  EXPECT_EQ(library.api.launch, api_.launch);
}

TEST_F(CapturerLibraryTest, RefusesWhatIsNone) {
  given_capture_table = nullptr;
  EXPECT_EQ(cause(), "it calls itself a capturer and has no loci.capture");
  given_capture_table = &api_;
  api_.patch = nullptr;
  EXPECT_EQ(cause(), "its loci.capture lacks patch");
}

TEST_F(CapturerLibraryTest, HoldsAPluginToItsManifest) {
  manifest_.lists["device_types"] = {"cuda"};
  EXPECT_EQ(cause(), "its loci.capture is for the device type 'npu', and its manifest has 'cuda'");
}

}  // namespace
}  // namespace loci::plugin
