#include "framework/reporting/reporter_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <loci/abi/plugin.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "framework/core/abi/error.h"
#include "tests/framework/plugin/load_error_matcher.h"

namespace loci::plugin {
namespace {

using reporting::Reporter;
using reporting::take_reporters;
using test::load_error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::function<const void*()> given_table;
std::vector<loci_reporter_def> given_defs;

const loci_reporter_def* defs(loci_plugin*, std::uint64_t* out_count) {
  *out_count = given_defs.size();
  return given_defs.data();
}
loci_error* create(const loci_host_api*, const loci_kv*, std::uint64_t, loci_plugin** out_plugin) {
  static int instance;
  *out_plugin = reinterpret_cast<loci_plugin*>(&instance);
  return nullptr;
}
void destroy(loci_plugin*) {}
loci_error* get_interface(loci_plugin*, loci_str name, std::uint32_t, const void** out_table) {
  *out_table = core::from_abi(name) == LOCI_PROFILE_REPORTER_INTERFACE ? given_table() : nullptr;
  return nullptr;
}

loci_error* make(loci_plugin*, const loci_kv*, std::uint64_t, loci_reporter**) { return nullptr; }
void unmake(loci_reporter*) {}
loci_error* report(loci_reporter*, const loci_profile*, const loci_report_output*) {
  return nullptr;
}
void range_begin(loci_reporter*, const loci_profile_label*) {}
void range_end(loci_reporter*) {}

class ReporterLibraryTest : public ::testing::Test {
 protected:
  ReporterLibraryTest() {
    api_.struct_size = sizeof api_;
    api_.defs = defs;
    given_table = [this] { return &api_; };
    loci_reporter_def def{};
    def.struct_size = sizeof def;
    def.level = LOCI_PROFILE_LEVEL_DETAIL;
    def.name = core::to_abi("lines");
    def.default_output = core::to_abi("lines.txt");
    def.forms = forms_;
    def.form_count = 2;
    def.create = make;
    def.destroy = unmake;
    def.report = report;
    given_defs = {def};
    manifest_.lists["reporters"] = {"lines"};
    loci_plugin_desc desc{};
    desc.struct_size = sizeof desc;
    desc.create = create;
    desc.destroy = destroy;
    desc.get_interface = get_interface;
    instance_ = std::make_unique<Instance>("org.loci.test.lines", "lines.so", desc);
  }

  std::string cause() {
    return load_error_of([&] { (void)take_reporters(*instance_, manifest_); }).cause();
  }

  loci_str forms_[2] = {core::to_abi("short"), core::to_abi("long")};
  loci_profile_reporter_api api_{};
  Manifest manifest_;
  std::unique_ptr<Instance> instance_;
};

TEST_F(ReporterLibraryTest, TakesReporters) {
  const std::vector<Reporter> taken = take_reporters(*instance_, manifest_).reporters;
  ASSERT_EQ(taken.size(), 1U);
  const Reporter& reporter = taken[0];
  EXPECT_EQ(reporter.plugin, instance_.get());
  EXPECT_EQ(reporter.name, "lines");
  EXPECT_EQ(reporter.default_output, "lines.txt");
  EXPECT_EQ(reporter.level, static_cast<std::uint32_t>(LOCI_PROFILE_LEVEL_DETAIL));
  EXPECT_THAT(reporter.forms, ElementsAre("short", "long"));
}

TEST_F(ReporterLibraryTest, RefusesATableThatIsNone) {
  given_table = [] { return nullptr; };
  EXPECT_EQ(cause(), "it calls itself a reporter and has no loci.profile.reporter");
  given_table = [this] { return &api_; };
  api_.defs = nullptr;
  EXPECT_EQ(cause(), "its loci.profile.reporter lacks defs");
}

TEST_F(ReporterLibraryTest, RefusesIncompleteDefinitions) {
  const loci_reporter_def whole = given_defs[0];
  given_defs[0].create = nullptr;
  EXPECT_EQ(cause(), "its reporter 'lines' lacks create");
  given_defs[0] = whole;
  given_defs[0].report = nullptr;
  EXPECT_EQ(cause(), "its reporter 'lines' lacks report");
  given_defs[0].range_begin = range_begin;
  EXPECT_THAT(cause(), HasSubstr("has one of range_begin and range_end"));
  given_defs[0].range_end = range_end;
  EXPECT_EQ(take_reporters(*instance_, manifest_).reporters.size(), 1U);
  given_defs[0] = whole;
  given_defs[0].level = 7;
  EXPECT_EQ(cause(), "its reporter 'lines' asks for the level 7, which there is not");
  given_defs[0] = whole;
  given_defs[0].forms = nullptr;
  EXPECT_EQ(cause(), "its reporter 'lines' has a damaged list of forms");
}

TEST_F(ReporterLibraryTest, HoldsAPluginToItsManifest) {
  manifest_.lists["reporters"] = {"lines", "table"};
  EXPECT_EQ(cause(), "it brings the reporters 'lines', and its manifest has 'lines', 'table'");
}

}  // namespace
}  // namespace loci::plugin
