#include "framework/plugin/unknown_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/plugins/plugin_folder.h"

namespace loci::plugin {
namespace {

using test::EnvironmentGuard;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Manifest manifest_with(std::vector<std::string> settings) {
  Manifest manifest;
  manifest.id = "org.loci.my-gadget";
  manifest.settings = std::move(settings);
  return manifest;
}

TEST(UnknownSettingsTest, NameTheNearest) {
  const EnvironmentGuard misspelt("LOCI_MY_GADGET_TUNED", "1");
  const EnvironmentGuard right("LOCI_MY_GADGET_DRIVER", "x");
  EXPECT_THAT(
      unknown_settings(manifest_with({"driver", "tune"}), {}),
      ElementsAre("LOCI_MY_GADGET_TUNED is set, and org.loci.my-gadget has no such setting; did "
                  "you mean 'tune'?"));
  EXPECT_THAT(unknown_settings(manifest_with({}), {}), IsEmpty());
}

TEST(UnknownSettingsTest, NameAllWhereNoneIsNear) {
  const EnvironmentGuard strange("LOCI_MY_GADGET_SOMETHING_ELSE_ALTOGETHER", "1");
  std::vector<std::string> many;
  for (char c = 'a'; c < 'p'; ++c) many.emplace_back(8, c);
  EXPECT_THAT(unknown_settings(manifest_with(many), {}),
              ElementsAre(HasSubstr("; there are aaaaaaaa, bbbbbbbb, ")));
}

TEST(UnknownSettingsTest, ThePluginsOwnVariableIsTheEmptyName) {
  const EnvironmentGuard own("LOCI_MY_GADGET", "fast");
  EXPECT_THAT(unknown_settings(manifest_with({"", "tune"}), {}), IsEmpty());
  EXPECT_THAT(unknown_settings(manifest_with({"tune"}), {}),
              ElementsAre(HasSubstr("LOCI_MY_GADGET is set, and")));
}

TEST(UnknownSettingsTest, AreNoneOfOthersNorOfTheContract) {
  const EnvironmentGuard others("LOCI_MY_GADGET_GRAPH_DOT", "x");
  const EnvironmentGuard fault("LOCI_MY_GADGET_FAIL_TASK", "3");
  const std::vector<std::string> ids{"org.loci.my", "org.else.my_gadget_graph"};
  EXPECT_THAT(unknown_settings(manifest_with({"tune"}), ids), IsEmpty());
  EXPECT_THAT(unknown_settings(manifest_with({"tune"}), {"org.loci.my"}),
              ElementsAre(HasSubstr("LOCI_MY_GADGET_GRAPH_DOT is set")));
}

TEST(UnknownSettingsTest, AreNoneOfTheCore) {
  const EnvironmentGuard core("LOCI_MEMORY_LIMIT", "0");
  Manifest manifest = manifest_with({"tune"});
  manifest.id = "org.else.memory";
  EXPECT_THAT(unknown_settings(manifest, {}), IsEmpty());
}

TEST(UnknownSettingsTest, AreToldOnce) {
  const EnvironmentGuard misspelt("LOCI_MY_GADGET_TUNEE", "1");
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) warn_of_unknown_settings(manifest_with({"tune"}), {});
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("LOCI_MY_GADGET_TUNEE is set"));
  EXPECT_EQ(log.find("TUNEE is set"), log.rfind("TUNEE is set"));
}

TEST(UnreadVariablesTest, NameTheNearestOfTheCore) {
  const EnvironmentGuard swapped("LOCI_THRAEDS", "2");
  EXPECT_THAT(unread_variables({"org.loci.sim"}),
              ElementsAre("LOCI_THRAEDS is set, and nothing reads it; did you mean "
                          "'LOCI_THREADS'?"));
}

TEST(UnreadVariablesTest, NameThoseThatBeginWithTheSameWord) {
  const EnvironmentGuard level("LOCI_LOG_LEVEL", "debug");
  const EnvironmentGuard memory("LOCI_PLUGIN", "x");
  EXPECT_THAT(unread_variables({}),
              ElementsAre("LOCI_LOG_LEVEL is set, and nothing reads it; did you mean 'LOCI_LOG'?",
                          "LOCI_PLUGIN is set, and nothing reads it; did you mean "
                          "'LOCI_PLUGIN_PATH' or 'LOCI_PLUGIN_PROBE'?"));
}

TEST(UnreadVariablesTest, AreNoneThatThePluginsOrTheCoreReadNorOfPluginsThatAreNotHere) {
  const EnvironmentGuard core("LOCI_SEED", "1");
  const EnvironmentGuard present("LOCI_THREADER", "x");
  const EnvironmentGuard option("LOCI_SEEDS_COUNT", "x");
  const EnvironmentGuard absent("LOCI_GADGET_DRIVER", "x");
  EXPECT_THAT(unread_variables({"org.else.threader", "org.else.seeds"}), IsEmpty());
}

TEST(UnreadVariablesTest, AreNotSetWhereTheyAreEmpty) {
  const EnvironmentGuard empty("LOCI_THRAEDS", "");
  EXPECT_THAT(unread_variables({}), IsEmpty());
}

}  // namespace
}  // namespace loci::plugin
