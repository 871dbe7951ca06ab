#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <loci/error.hpp>
#include <loci/plugins.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/config.h"
#include "tests/support/plugins/plugin_folder.h"

namespace loci {
namespace {

using plugins::Candidate;
using plugins::Stage;
using testing::HasSubstr;

TEST(PluginsApi, NamesStages) {
  EXPECT_EQ(plugins::stage_name(Stage::kDiscovered), "DISCOVERED");
  EXPECT_EQ(plugins::stage_name(Stage::kManifestOk), "MANIFEST_OK");
  EXPECT_EQ(plugins::stage_name(Stage::kMapped), "MAPPED");
  EXPECT_EQ(plugins::stage_name(Stage::kQueried), "QUERIED");
  EXPECT_EQ(plugins::stage_name(Stage::kNegotiated), "NEGOTIATED");
  EXPECT_EQ(plugins::stage_name(Stage::kCreated), "CREATED");
  EXPECT_EQ(plugins::stage_name(Stage::kActive), "ACTIVE");
}

TEST(PluginsApi, InspectsWithoutMapping) {
  ::unsetenv("LOCI_TEST_MAPPED");
  const Candidate candidate = plugins::inspect(test::built_plugin("marker").string());
  EXPECT_EQ(candidate.id, "org.loci.test.marker");
  EXPECT_EQ(candidate.stage, Stage::kManifestOk);
  EXPECT_FALSE(candidate.failed) << candidate.cause;
  EXPECT_EQ(std::getenv("LOCI_TEST_MAPPED"), nullptr);
}

TEST(PluginsApi, InspectReportsWhatIsWrong) {
  const test::PluginFolder folder;
  test::write_file(folder.path() / "text.so", "text");
  const Candidate candidate = plugins::inspect((folder.path() / "text.so").string());
  EXPECT_TRUE(candidate.failed);
  EXPECT_EQ(candidate.cause, "it is not an ELF file");
  try {
    plugins::inspect("/no/such/plugin.so");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNotFound);
    EXPECT_THAT(error.what(), HasSubstr("'/no/such/plugin.so'"));
  }
}

TEST(PluginsApi, ReportsWhatConfigureAdded) {
  const test::PluginFolder folder;
  core::set_config_value("PLUGIN_PATH", "");
  plugins::SearchOptions options;
  options.directories.push_back(folder.path().string());
  const std::string path = folder.add("minimal").string();
  plugins::configure(options);
  ASSERT_FALSE(plugins::report().empty());
  EXPECT_EQ(plugins::report()[0].path, path);
  EXPECT_EQ(plugins::report()[0].stage, Stage::kManifestOk);
  EXPECT_EQ(plugins::report(/*activate=*/true)[0].stage, Stage::kActive);
}

TEST(PluginsApi, TriesAFileOut) {
  std::vector<std::string> steps;
  const auto tell = [&steps](std::string_view step) { steps.emplace_back(step); };
  const Candidate candidate = plugins::try_out(test::built_plugin("minimal").string(), tell);
  EXPECT_EQ(candidate.stage, Stage::kActive) << candidate.cause;
  EXPECT_EQ(steps.front(), "load");
  EXPECT_EQ(steps.back(), "destroy");
  EXPECT_THROW(plugins::try_out("/no/such/plugin.so", tell), Error);
}

TEST(PluginsApi, NamesThePlacesOfTheSearch) {
  const std::vector<plugins::SearchPlace> places = plugins::search_places();
  ASSERT_FALSE(places.empty());
  EXPECT_EQ(places.back().origin, "installation");
}

}  // namespace
}  // namespace loci
