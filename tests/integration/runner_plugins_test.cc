// loci plugins, and the options that say where plugins are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/integration/runner_fixture.h"

namespace loci::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

class PluginsTest : public RunnerTest {
 protected:
  static json entry(const json& report, const std::string& id) {
    for (const json& plugin : report["plugins"]) {
      if (plugin["id"] == id) return plugin;
    }
    ADD_FAILURE() << "no " << id << " in " << report;
    return {};
  }
};

TEST_F(PluginsTest, ListNamesTheCpuPluginActive) {
  const json cpu = entry(loci_json({"plugins", "--probe", "--json"}), "org.loci.cpu");
  EXPECT_EQ(cpu["stage"], "ACTIVE");
  EXPECT_EQ(cpu["failed"], false);
  EXPECT_EQ(cpu["device_types"], json({"cpu"}));
  EXPECT_TRUE(std::filesystem::exists(cpu["path"].get<std::string>()));
  EXPECT_THAT(loci({"plugins", "list", "--probe"}).out,
              AllOf(HasSubstr("org.loci.cpu"), HasSubstr("ACTIVE")));
}

TEST_F(PluginsTest, ListLoadsNothingUnlessItProbes) {
  const json cpu = entry(loci_json({"plugins", "--json"}), "org.loci.cpu");
  EXPECT_EQ(cpu["stage"], "MANIFEST_OK");
  EXPECT_EQ(cpu["failed"], false);
  EXPECT_EQ(cpu["probe"], nullptr);
}

TEST_F(PluginsTest, AFailedCandidateKeepsItsCauseAndTheRestLoads) {
  std::filesystem::create_directory(path("plugins"));
  write("plugins/loci-broken.so", "not a library");
  const json report =
      loci_json({"plugins", "list", "--probe", "--plugin-path", path("plugins"), "--json"});
  EXPECT_EQ(entry(report, "org.loci.cpu")["stage"], "ACTIVE");
  const json broken = report["plugins"][0];
  EXPECT_THAT(broken["path"].get<std::string>(), HasSubstr("loci-broken.so"));
  EXPECT_EQ(broken["failed"], true);
  EXPECT_NE(broken["cause"], "");
  EXPECT_NE(broken["remedy"], "");
}

TEST_F(PluginsTest, NoPluginDisables) {
  const json report = loci_json({"plugins", "--no-plugin", "org.loci.cpu", "--json"});
  EXPECT_EQ(entry(report, "org.loci.cpu")["disabled"], true);
}

TEST_F(PluginsTest, InspectReadsAManifest) {
  const json toy = loci_json({"plugins", "inspect", kToyPlugin, "--json"});
  EXPECT_EQ(toy["id"], "org.loci.test.toy");
  EXPECT_EQ(toy["version"], "1.0.0");
  EXPECT_EQ(toy["stage"], "MANIFEST_OK");
  EXPECT_THAT(loci({"plugins", "inspect", kToyPlugin}).out, HasSubstr("org.loci.test.toy"));
}

TEST_F(PluginsTest, InspectOfWhatIsNoPluginIsNotAvailable) {
  EXPECT_THAT(failure(4, {"plugins", "inspect", path("no.so")}), HasSubstr("no.so"));
  const std::string text = write("loci-text.so", "text");
  EXPECT_THAT(failure(4, {"plugins", "inspect", text}), HasSubstr(text));
  const Finished finished = loci({"plugins", "inspect", text, "--json"});
  EXPECT_EQ(finished.exit_code, 4);
  EXPECT_EQ(json::parse(finished.out)["failed"], true);
}

TEST_F(PluginsTest, AnAbsentPathIsNotAvailable) {
  EXPECT_THAT(failure(4, {"plugins", "--plugin-path", path("nowhere")}), HasSubstr("nowhere"));
  EXPECT_THAT(failure(4, {"run", inference_model(), "--feed", "x=1", "--plugin", path("no.so")}),
              HasSubstr("no.so"));
}

TEST_F(PluginsTest, ANamedPluginThatCannotBeLoadedEndsTheRun) {
  const std::string text = write("loci-text.so", "text");
  EXPECT_THAT(failure(4, {"run", inference_model(), "--feed", "x=1", "--plugin", text}),
              AllOf(HasSubstr(text), HasSubstr("cannot be loaded")));
}

TEST_F(PluginsTest, AWorldWritablePluginIsRefused) {
  const std::string copy = path("loci-toy.so");
  std::filesystem::copy_file(kToyPlugin, copy);
  std::filesystem::permissions(copy, std::filesystem::perms::others_write,
                               std::filesystem::perm_options::add);
  EXPECT_THAT(failure(4, {"plugins", "inspect", copy}), HasSubstr("writ"));
}

TEST_F(PluginsTest, NewWritesAPluginIntoAnEmptyDirectory) {
  const std::vector<std::string> arguments{"plugins", "new",   "npu",           "--kind",
                                           "backend", "--dir", path("a/plugin")};
  const Finished finished = loci(arguments);
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_THAT(read("a/plugin/manifest.json"), HasSubstr("org.example.npu"));
  EXPECT_THAT(finished.out, HasSubstr(path("a/plugin/plugin.cc")));
  EXPECT_THAT(failure(2, arguments), HasSubstr("is there and not empty; name another directory"));
}

TEST_F(PluginsTest, NewSaysWhatItNeeds) {
  EXPECT_THAT(failure(2, {"plugins", "new"}), HasSubstr("'plugins new' needs a name"));
  EXPECT_THAT(failure(2, {"plugins", "new", "npu", "--kind", "backend"}), HasSubstr("--dir"));
  EXPECT_THAT(failure(2, {"plugins", "new", "npu", "--dir", path("p")}), HasSubstr("--kind"));
  EXPECT_THAT(failure(2, {"plugins", "new", "NPU", "--kind", "backend", "--dir", path("p")}),
              HasSubstr("'NPU' is no name"));
  EXPECT_THAT(failure(2, {"plugins", "list", "--kind", "backend"}),
              HasSubstr("[--kind] is for 'plugins new', not for 'plugins list'"));
  const std::string file = write("file", "");
  EXPECT_THAT(failure(5, {"plugins", "new", "npu", "--kind", "backend", "--dir", file + "/below"}),
              HasSubstr("cannot write"));
  EXPECT_THAT(files(), ::testing::ElementsAre("file"));
}

}  // namespace
}  // namespace loci::test
