#include "tools/loci/plugins/plugin_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/tools/loci/failing.h"

namespace loci::runner {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

void expect_named(const std::map<std::string, std::string>& files) {
  for (const auto& [name, text] : files) {
    EXPECT_THAT(text, HasSubstr("npu2")) << name;
    EXPECT_THAT(text, Not(HasSubstr("sample"))) << name;
    EXPECT_THAT(text, Not(HasSubstr("Sample"))) << name;
  }
}

TEST(PluginTemplateTest, PutsTheNameIntoEachFileOfABackend) {
  const auto files = plugin_template("npu2", "backend");
  EXPECT_THAT(files, UnorderedElementsAre(Key("CMakeLists.txt"), Key("README.md"), Key("device.h"),
                                          Key("kernels.cc"), Key("kernels.h"), Key("manifest.json"),
                                          Key("plugin.cc"), Key("plugin_test.cc")));
  expect_named(files);
  EXPECT_THAT(files.at("plugin.cc"), HasSubstr("class Npu2Plugin {"));
  EXPECT_THAT(files.at("CMakeLists.txt"), HasSubstr("project(npu2 LANGUAGES CXX)"));
  const auto manifest = nlohmann::json::parse(files.at("manifest.json"));
  EXPECT_EQ(manifest["id"], "org.example.npu2");
  EXPECT_EQ(manifest["device_types"][0], "npu2");
}

TEST(PluginTemplateTest, PutsTheNameIntoEachFileOfAQueuedBackend) {
  const auto files = plugin_template("npu2", "backend", Work::kQueued);
  EXPECT_THAT(files, Contains(Key("queue.cc")));
  EXPECT_THAT(files, Contains(Key("plugin_test.cc")));
  EXPECT_THAT(files, Contains(Key("README.md")));
  expect_named(files);
  for (const auto& [name, text] : files) {
    EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 300) << name;
  }
  EXPECT_THAT(files.at("device.cc"), HasSubstr("Npu2Device::Npu2Device("));
}

TEST(PluginTemplateTest, OnlyABackendIsQueued) {
  EXPECT_THAT(failure_of(ExitCode::kUsage, [] { plugin_template("npu2", "op", Work::kQueued); }),
              HasSubstr("[--queued] a plugin of the kind 'op' has no device; leave it out"));
  EXPECT_THAT(
      failure_of(ExitCode::kUsage, [] { plugin_template("npu2", "capturer", Work::kQueued); }),
      HasSubstr("[--queued] a plugin of the kind 'capturer' has no device; leave it out"));
}

TEST(PluginTemplateTest, PutsTheNameIntoEachFileOfACapturer) {
  const auto files = plugin_template("npu2", "capturer");
  EXPECT_THAT(files, Contains(Key("capturer.cc")));
  EXPECT_THAT(files, Contains(Key("plugin_test.cc")));
  EXPECT_THAT(files, Contains(Key("README.md")));
  expect_named(files);
  EXPECT_THAT(files.at("CMakeLists.txt"), HasSubstr("project(npu2_graph LANGUAGES CXX)"));
  const auto manifest = nlohmann::json::parse(files.at("manifest.json"));
  EXPECT_EQ(manifest["id"], "org.example.npu2_graph") << "its backend's is org.example.npu2";
  EXPECT_EQ(manifest["device_types"][0], "npu2");
}

// The two share the header, which each of them has.
TEST(PluginTemplateTest, ACapturerFitsTheQueuedBackend) {
  EXPECT_EQ(plugin_template("npu2", "capturer").at("graphs.h"),
            plugin_template("npu2", "backend", Work::kQueued).at("graphs.h"));
}

TEST(PluginTemplateTest, PutsTheNameIntoEachFileOfAnOp) {
  const auto files = plugin_template("npu2", "op");
  EXPECT_THAT(files, Contains(Key("swish_op.cc")));
  EXPECT_THAT(files, Contains(Key("plugin_test.cc")));
  EXPECT_THAT(files, Contains(Key("README.md")));
  expect_named(files);
  EXPECT_THAT(files.at("swish_op.cc"), HasSubstr("OpDef(\"npu2.swish\", kSwishVersion)"));
  EXPECT_EQ(nlohmann::json::parse(files.at("manifest.json"))["id"], "org.example.npu2");
}

TEST(PluginTemplateTest, PutsTheNameIntoEachFileOfAReporter) {
  const auto files = plugin_template("npu2", "reporter");
  EXPECT_THAT(files, Contains(Key("reporter.cc")));
  EXPECT_THAT(files, Contains(Key("plugin_test.cc")));
  EXPECT_THAT(files, Contains(Key("README.md")));
  expect_named(files);
  const auto manifest = nlohmann::json::parse(files.at("manifest.json"));
  EXPECT_EQ(manifest["id"], "org.example.npu2");
  EXPECT_EQ(manifest["reporters"][0], "npu2");
}

// People read a template before they copy and change it.
TEST(PluginTemplateTest, TemplatesAreShort) {
  EXPECT_THAT(template_kinds(), ElementsAre("backend", "capturer", "op", "reporter"));
  for (const std::string& kind : template_kinds()) {
    std::ptrdiff_t lines = 0;
    for (const auto& [name, text] : plugin_template("npu2", kind)) {
      lines += std::count(text.begin(), text.end(), '\n');
    }
    EXPECT_LT(lines, 350) << kind;
    EXPECT_GT(lines, 100) << kind;
  }
}

TEST(PluginTemplateTest, RefusesOtherNamesAndKinds) {
  for (const char* name : {"", "Npu", "2npu", "n-p", "n p", "../n", "n_p"}) {
    EXPECT_THAT(failure_of(ExitCode::kUsage, [&] { plugin_template(name, "backend"); }),
                HasSubstr("is no name for a plugin; take at most 32 lower-case letters"))
        << name;
  }
  EXPECT_THAT(
      failure_of(ExitCode::kUsage, [] { plugin_template(std::string(33, 'n'), "backend"); }),
      HasSubstr("is no name for a plugin"));
  // The plugins in plugins/, each kind of which would hide the one that is there.
  for (const char* name : {"cpu", "gpu", "loci", "sim", "cuda", "classic", "csv", "html", "json",
                           "nvprof", "nvtx", "statset", "summary", "trace"}) {
    for (const std::string& kind : template_kinds()) {
      EXPECT_THAT(failure_of(ExitCode::kUsage, [&] { plugin_template(name, kind); }),
                  HasSubstr("is a name of Loci's own, or of a plugin that comes with it; take "))
          << name << " of the kind " << kind;
    }
  }
  EXPECT_EQ(failure_of(ExitCode::kUsage, [] { plugin_template("npu", "pass"); }),
            "[--kind] 'pass' is not one of backend, capturer, op, reporter");
}

}  // namespace
}  // namespace loci::runner
