#include "framework/plugin/interface_kind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "framework/plugin/interface_table.h"
#include "framework/plugin/plugin_manager.h"
#include "framework/plugin/stated_text.h"
#include "tests/framework/plugin/load_error_matcher.h"
#include "tests/support/plugins/greeter/greeter.h"
#include "tests/support/plugins/plugin_folder.h"

namespace loci::plugin {
namespace {

using plugins::Candidate;
using plugins::Stage;
using test::EnvironmentGuard;
using test::load_error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The adapter of a kind that Loci does not have, as one in a folder of the framework would be.
constexpr Interface kGreeting{EXAMPLE_GREETER_INTERFACE, EXAMPLE_GREETER_MINOR};

std::string complaint_of_language(const std::string& language) {
  return language == "silence" ? "has 'silence', in which nobody greets" : "";
}

constexpr NameList kLanguages{"languages", &complaint_of_language};

struct Greeter final : Contribution {
  const Plugin* plugin = nullptr;
  example_greeter_api api{};

  [[nodiscard]] std::string greet() const {
    return std::string(stated_text(api.greet(plugin->handle()), "greeting"));
  }
};

Greeter take_greeter(Instance& instance, const Manifest&) {
  Greeter greeter;
  greeter.plugin = &instance;
  greeter.api = require_table<example_greeter_api>(instance, kGreeting,
                                                   "it calls itself a greeter and has no");
  require_member(greeter.api.greet != nullptr, kGreeting, "greet");
  return greeter;
}

constexpr Kind<Greeter> kGreeterKind{{.name = "greeter",
                                      .take = &take_as<&take_greeter>,
                                      .declares = &kLanguages,
                                      .bearer = "a greeter",
                                      .sole = "greets in"}};

class InterfaceKindTest : public testing::Test {
 protected:
  Candidate only(bool activate) {
    const std::vector<Candidate> report = manager_.report(activate);
    EXPECT_EQ(report.size(), 1u);
    return report.at(0);
  }

  const EnvironmentGuard search_path_{"LOCI_PLUGIN_PATH", ""};
  test::PluginFolder folder_;
  PluginManager manager_{folder_.path().string()};
};

class AddedKindTest : public InterfaceKindTest {
  AddedKind added_{kGreeterKind};
};

TEST_F(InterfaceKindTest, APluginOfAnUnknownKindIsRefused) {
  folder_.add("greeter");
  const Candidate candidate = only(/*activate=*/false);
  EXPECT_TRUE(candidate.failed);
  EXPECT_EQ(candidate.cause,
            "its manifest's 'kinds' has the unknown kind 'greeter'; there are 'backend', "
            "'capture', 'profile_source', 'reporter', 'importer', 'ops', 'collective'");
}

TEST_F(AddedKindTest, APluginOfItIsListedAndLoadsWhenItIsAskedFor) {
  folder_.add("greeter");
  folder_.add("minimal");
  const std::vector<Candidate> report = manager_.report(/*activate=*/false);
  ASSERT_EQ(report.size(), 2u);
  EXPECT_THAT(report[0].kinds, ElementsAre("greeter"));
  EXPECT_EQ(report[0].stage, Stage::kManifestOk);
  EXPECT_THAT(manager_.declared(kGreeterKind), ElementsAre("french"));
  EXPECT_THAT(manager_.brought(kGreeterKind, "dutch"), IsEmpty());
  EXPECT_EQ(manager_.report(false)[0].stage, Stage::kManifestOk);

  const std::vector<const Greeter*> greeters = manager_.brought(kGreeterKind, "french");
  ASSERT_EQ(greeters.size(), 1u);
  EXPECT_EQ(greeters[0]->greet(), "bonjour");
  EXPECT_EQ(manager_.brought(kGreeterKind), greeters);
  EXPECT_EQ(manager_.report(false)[0].stage, Stage::kActive);
  EXPECT_EQ(manager_.report(false)[1].stage, Stage::kManifestOk) << "nobody needs the backend";
}

TEST_F(AddedKindTest, AMinorThatIsTooNewIsRefused) {
  const EnvironmentGuard minor("LOCI_TEST_GREETER_MINOR", "2");
  folder_.add("greeter");
  EXPECT_THAT(manager_.brought(kGreeterKind, "french"), IsEmpty());
  const Candidate candidate = only(/*activate=*/false);
  EXPECT_EQ(candidate.stage, Stage::kCreated);
  EXPECT_EQ(candidate.cause, "it calls itself a greeter and has no example.greeter");
  EXPECT_THAT(manager_.explain_missing(kGreeterKind, "french"), HasSubstr(candidate.cause));
}

TEST_F(AddedKindTest, TheManifestIsHeldToItsRules) {
  const auto cause = [this](auto&& edit) {
    const test::fs::path file = folder_.add("greeter");
    test::edit_manifest(file, edit);
    PluginManager manager(folder_.path().string());
    return manager.report(false).at(0).cause;
  };
  EXPECT_EQ(cause([](auto& json) { json.erase("languages"); }),
            "its manifest's 'languages' is missing or empty, which a greeter may not leave out");
  EXPECT_EQ(cause([](auto& json) { json["languages"] = "french"; }),
            "its manifest's 'languages' is not an array");
  EXPECT_EQ(cause([](auto& json) { json["languages"] = {"silence"}; }),
            "its manifest's 'languages' has 'silence', in which nobody greets");
}

TEST_F(AddedKindTest, OnePluginIsTheSoleOneOfAName) {
  folder_.add("greeter", "a.so");
  test::edit_manifest(folder_.add("greeter", "b.so"),
                      [](auto& json) { json["id"] = "org.loci.test.second"; });
  const std::vector<Candidate> report = manager_.report(false);
  EXPECT_FALSE(report.at(0).failed);
  EXPECT_EQ(report.at(1).cause, "org.loci.test.greeter of '" + report[0].path +
                                    "' greets in 'french' already, which comes first in the "
                                    "search");
}

}  // namespace
}  // namespace loci::plugin
