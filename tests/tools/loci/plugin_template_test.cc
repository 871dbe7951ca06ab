#include "tools/loci/plugin_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/tools/loci/failing.h"

namespace loci::runner {
namespace {

using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

TEST(PluginTemplateTest, PutsTheNameIntoEachFile) {
  const auto files = plugin_template("npu2", "backend");
  EXPECT_THAT(files, UnorderedElementsAre(Key("CMakeLists.txt"), Key("manifest.json"),
                                          Key("plugin.cc"), Key("kernels.h"), Key("kernels.cc")));
  for (const auto& [name, text] : files) {
    EXPECT_THAT(text, HasSubstr("npu2")) << name;
    EXPECT_THAT(text, Not(HasSubstr("@"))) << name;
  }
  EXPECT_THAT(files.at("plugin.cc"), HasSubstr("class Npu2Plugin {"));
  const auto manifest = nlohmann::json::parse(files.at("manifest.json"));
  EXPECT_EQ(manifest["id"], "org.example.npu2");
  EXPECT_EQ(manifest["device_types"][0], "npu2");
}

TEST(PluginTemplateTest, RefusesOtherNamesAndKinds) {
  for (const char* name : {"", "Npu", "2npu", "n-p", "n p", "../n"}) {
    EXPECT_THAT(failure_of(ExitCode::kUsage, [&] { plugin_template(name, "backend"); }),
                HasSubstr("is no name for a plugin; take lower-case letters"))
        << name;
  }
  EXPECT_EQ(failure_of(ExitCode::kUsage, [] { plugin_template("npu", "pass"); }),
            "[--kind] 'pass' is not one of backend");
}

}  // namespace
}  // namespace loci::runner
