#include "framework/plugin/plugin_manager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <loci/error.hpp>
#include <string>
#include <thread>
#include <vector>

#include "framework/core/config.h"
#include "framework/device/backend_tables.h"
#include "framework/device_graph/capturer_library.h"
#include "framework/ops/op_library.h"
#include "tests/support/plugins/plugin_folder.h"

namespace loci::plugin {
namespace {

using plugins::Candidate;
using plugins::Stage;
using test::EnvironmentGuard;
using testing::ElementsAre;
using testing::HasSubstr;

// A manager that sees the folder alone.
class PluginManagerTest : public testing::Test {
 protected:
  PluginManagerTest() { core::set_config_value("PLUGIN_PATH", ""); }

  Candidate find(const std::string& file, bool activate = true) {
    for (const Candidate& candidate : manager_.report(activate)) {
      if (candidate.path == (folder_.path() / file).string()) return candidate;
    }
    ADD_FAILURE() << "no candidate " << file;
    return {};
  }

  template <class Work>
  Error error_of(Work&& work) {
    try {
      work();
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "nothing was thrown";
    return {ErrorCode::kInternal, ""};
  }

  test::PluginFolder folder_;
  PluginManager manager_{folder_.path().string()};
};

TEST_F(PluginManagerTest, FindsBackendsByDeviceType) {
  folder_.add("minimal");
  folder_.add("other");
  EXPECT_THAT(manager_.declared(device::kBackendKind), ElementsAre("minimal", "other"));
  const auto backends = device::backends(manager_, "minimal");
  ASSERT_EQ(backends.size(), 1u);
  EXPECT_EQ(backends[0]->device_type, "minimal");
  EXPECT_EQ(backends[0]->plugin->id(), "org.loci.test.minimal");
  EXPECT_EQ(device::backends(manager_, "minimal"), backends);
  ASSERT_EQ(device::kernel_libraries(manager_, "other").size(), 1u);
  EXPECT_EQ(device::kernel_libraries(manager_, "other")[0]->defs.size(), 1u);
  EXPECT_TRUE(device::backends(manager_, "nothing").empty());
  EXPECT_EQ(manager_.explain_missing(device::kBackendKind, "minimal"), "");
  EXPECT_EQ(manager_.explain_missing(device::kBackendKind, "nothing"), "");
}

TEST_F(PluginManagerTest, MapsOnlyWhatIsNeeded) {
  folder_.add("marker");
  folder_.add("minimal");
  ::unsetenv("LOCI_TEST_MAPPED");
  EXPECT_EQ(find("loci-marker.so", /*activate=*/false).stage, Stage::kManifestOk);
  EXPECT_THAT(manager_.declared(device::kBackendKind), ElementsAre("marker", "minimal"));
  EXPECT_EQ(device::backends(manager_, "minimal").size(), 1u);
  EXPECT_EQ(std::getenv("LOCI_TEST_MAPPED"), nullptr);
  EXPECT_EQ(device::backends(manager_, "marker").size(), 1u);
  EXPECT_STREQ(std::getenv("LOCI_TEST_MAPPED"), "1");
}

TEST_F(PluginManagerTest, TheRestLoadsWhateverFails) {
  const EnvironmentGuard fault("LOCI_TEST_FAULT", "create_throws");
  folder_.add("faulty");
  folder_.add("missing_dependency");
  folder_.add("no_symbol");
  test::write_file(folder_.path() / "a-text.so", "text");
  test::write_file(folder_.path() / "b-cut.so",
                   test::read_file(test::built_plugin("minimal")).substr(0, 2000));
  test::edit_manifest(folder_.add("minimal", "c-newer.so"), [](auto& json) {
    json["id"] = "org.new";
    json["abi"]["major"] = 3;
  });
  ::chmod(folder_.add("other", "d-open.so").c_str(), 0666);
  folder_.add("minimal");

  EXPECT_EQ(find("loci-minimal.so").stage, Stage::kActive);
  EXPECT_EQ(device::backends(manager_, "minimal").size(), 1u);
  EXPECT_THAT(find("loci-faulty.so").cause, HasSubstr("out of create"));
  EXPECT_THAT(find("loci-missing_dependency.so").cause, HasSubstr("libloci_absent.so.7"));
  EXPECT_THAT(find("loci-no_symbol.so").cause, HasSubstr("loci_plugin_query_v1"));
  EXPECT_THAT(find("a-text.so").cause, HasSubstr("not an ELF file"));
  EXPECT_THAT(find("b-cut.so").cause, HasSubstr("cut short"));
  EXPECT_THAT(find("c-newer.so").cause, HasSubstr("too new"));
  EXPECT_THAT(find("d-open.so").cause, HasSubstr("world-writable"));
  EXPECT_EQ(manager_.report(false).size(), 8u);
}

TEST_F(PluginManagerTest, TheFirstOfAnIdWins) {
  folder_.add("minimal", "a.so");
  folder_.add("minimal", "b.so");
  EXPECT_EQ(find("a.so").stage, Stage::kActive);
  const Candidate second = find("b.so");
  EXPECT_TRUE(second.failed);
  EXPECT_EQ(second.stage, Stage::kManifestOk);
  EXPECT_THAT(second.cause, HasSubstr((folder_.path() / "a.so").string()));
  EXPECT_THAT(second.cause, HasSubstr((folder_.path() / "b.so").string()));
  EXPECT_EQ(device::backends(manager_, "minimal").size(), 1u);
}

// The capturers are compared by their manifests, before either is mapped.
TEST_F(PluginManagerTest, OfADeviceTypeThereIsOneCapturer) {
  const auto add_capturer = [this](const std::string& name, const std::string& file) {
    test::edit_manifest(folder_.add(name, file), [](auto& json) {
      json["kinds"] = {"capture"};
      json["device_types"] = {"npu"};
    });
  };
  add_capturer("minimal", "a.so");
  add_capturer("other", "b.so");
  EXPECT_FALSE(find("a.so", /*activate=*/false).failed);
  const Candidate second = find("b.so", /*activate=*/false);
  EXPECT_TRUE(second.failed);
  EXPECT_EQ(second.cause, "org.loci.test.minimal of '" + (folder_.path() / "a.so").string() +
                              "' captures the streams of 'npu' already, which comes first in the "
                              "search");
  EXPECT_EQ(second.remedy, "remove one of the two files, or disable org.loci.test.minimal");
  EXPECT_TRUE(manager_.declared(device::kBackendKind).empty()) << "neither brings such a device";
  plugins::SearchOptions options;
  options.disabled_ids.push_back("org.loci.test.minimal");
  manager_.configure(options);
  EXPECT_FALSE(find("b.so", /*activate=*/false).failed);
  EXPECT_TRUE(manager_.brought(device_graph::kCaptureKind, "npu").empty());
  EXPECT_THAT(manager_.explain_missing(device_graph::kCaptureKind, "npu"),
              HasSubstr("it calls itself a capturer and has no loci.capture"));
}

TEST_F(PluginManagerTest, ExplicitFilesComeFirst) {
  const test::PluginFolder other;
  folder_.add("minimal");
  plugins::SearchOptions options;
  options.files.push_back(other.add("minimal").string());
  manager_.configure(options);
  const std::vector<Candidate> report = manager_.report(true);
  ASSERT_EQ(report.size(), 2u);
  EXPECT_EQ(report[0].path, options.files[0]);
  EXPECT_EQ(report[0].stage, Stage::kActive);
  EXPECT_TRUE(report[1].failed);
}

TEST_F(PluginManagerTest, DisabledPluginsAreLeftAlone) {
  folder_.add("minimal");
  plugins::SearchOptions options;
  options.disabled_ids.push_back("org.loci.test.minimal");
  manager_.configure(options);
  EXPECT_TRUE(device::backends(manager_, "minimal").empty());
  EXPECT_TRUE(manager_.declared(device::kBackendKind).empty());
  EXPECT_TRUE(find("loci-minimal.so").disabled);
  EXPECT_EQ(find("loci-minimal.so").stage, Stage::kManifestOk);
  EXPECT_THAT(manager_.explain_missing(device::kBackendKind, "minimal"),
              HasSubstr("org.loci.test.minimal is disabled"));
}

TEST_F(PluginManagerTest, ConfigureRefusesWhatIsNotThere) {
  folder_.add("minimal");
  plugins::SearchOptions options;
  options.files = {"/no/such/plugin.so"};
  Error error = error_of([&] { manager_.configure(options); });
  EXPECT_EQ(error.code(), ErrorCode::kNotFound);
  EXPECT_THAT(error.what(), HasSubstr("there is no file '/no/such/plugin.so'"));
  options.files = {folder_.path().string()};
  EXPECT_THAT(error_of([&] { manager_.configure(options); }).what(), HasSubstr("is a directory"));
  options.files.clear();
  options.directories = {"/no/such/folder"};
  EXPECT_THAT(error_of([&] { manager_.configure(options); }).what(),
              HasSubstr("there is no directory '/no/such/folder'"));
  options.directories = {(folder_.path() / "loci-minimal.so").string()};
  EXPECT_THAT(error_of([&] { manager_.configure(options); }).what(),
              HasSubstr("is not a directory"));
  EXPECT_EQ(find("loci-minimal.so").stage, Stage::kActive);
}

TEST_F(PluginManagerTest, ConfigureComesBeforeUse) {
  folder_.add("minimal");
  EXPECT_EQ(manager_.report(false).size(), 1u);
  manager_.configure({});
  device::backends(manager_, "minimal");
  const Error error = error_of([&] { manager_.configure({}); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("plugins are in use"));
}

TEST_F(PluginManagerTest, ExplainsWhyThereIsNoDevice) {
  const EnvironmentGuard score("LOCI_MINIMAL_SCORE", "0");
  folder_.add("minimal");
  folder_.add("missing_dependency");
  folder_.add("other");
  test::write_file(folder_.path() / "text.so", "text");
  EXPECT_TRUE(device::backends(manager_, "minimal").empty());
  EXPECT_EQ(find("loci-minimal.so").stage, Stage::kActive);
  EXPECT_EQ(find("loci-minimal.so").unavailable, "the configured score is 0");
  EXPECT_EQ(device::kernel_libraries(manager_, "minimal").size(), 1u);
  const std::string lines = manager_.explain_missing(device::kBackendKind, "minimal");
  EXPECT_THAT(lines, HasSubstr("loci-minimal.so: the configured score is 0"));
  EXPECT_THAT(lines, HasSubstr("text.so: got no further than DISCOVERED: it is not an ELF file"));
  EXPECT_THAT(lines, testing::Not(HasSubstr("loci-other.so")));
  EXPECT_THAT(
      manager_.explain_missing(device::kBackendKind, "missing_dependency"),
      HasSubstr("MANIFEST_OK: it needs the library libloci_absent.so.7, which is not there; "
                "install the package loci-absent"));
}

TEST_F(PluginManagerTest, TheBetterScoreComesFirst) {
  const EnvironmentGuard score("LOCI_TWIN_SCORE", "4");
  folder_.add("minimal");
  folder_.add("twin");
  const auto backends = device::backends(manager_, "minimal");
  ASSERT_EQ(backends.size(), 2u);
  EXPECT_EQ(backends[0]->plugin->id(), "org.loci.test.twin");
  EXPECT_EQ(backends[0]->score, 4);
  EXPECT_EQ(backends[1]->score, 1);
  const auto libraries = device::kernel_libraries(manager_, "minimal");
  ASSERT_EQ(libraries.size(), 2u);
  EXPECT_EQ(libraries[0]->plugin->id(), "org.loci.test.minimal");
}

TEST_F(PluginManagerTest, UnloadsWhatIsNotInUse) {
  folder_.add("minimal");
  const device::DeviceBackend* backend = device::backends(manager_, "minimal").at(0);
  backend->plugin->retain();
  const Error busy = error_of([&] { manager_.unload("org.loci.test.minimal"); });
  EXPECT_EQ(busy.code(), ErrorCode::kFailed);
  EXPECT_THAT(busy.what(), HasSubstr("org.loci.test.minimal has 1 live objects"));
  EXPECT_EQ(device::backends(manager_, "minimal").size(), 1u);

  backend->plugin->release();
  manager_.unload("org.loci.test.minimal");
  EXPECT_EQ(backend->plugin->handle(), nullptr);
  EXPECT_EQ(backend->plugin->id(), "org.loci.test.minimal");
  EXPECT_TRUE(device::backends(manager_, "minimal").empty());
  EXPECT_TRUE(device::kernel_libraries(manager_, "minimal").empty());
  EXPECT_EQ(find("loci-minimal.so").stage, Stage::kMapped);
  EXPECT_TRUE(find("loci-minimal.so").disabled);
}

TEST_F(PluginManagerTest, FindsOps) {
  folder_.add("minimal");
  folder_.add("swish");
  EXPECT_EQ(find("loci-swish.so", /*activate=*/false).stage, Stage::kManifestOk);
  const auto libraries = manager_.brought(ops::kOpsKind);
  ASSERT_EQ(libraries.size(), 1u);
  EXPECT_EQ(libraries[0]->plugin->id(), "org.example.sample");
  EXPECT_EQ(manager_.brought(ops::kOpsKind), libraries);
  EXPECT_EQ(manager_.explain_missing(ops::kOpsKind), "");
  EXPECT_EQ(find("loci-minimal.so", /*activate=*/false).stage, Stage::kManifestOk);
}

TEST_F(PluginManagerTest, AnOpBelongsToTheFirstPluginThatBringsIt) {
  folder_.add("rival", "a.so");
  folder_.add("swish", "b.so");
  ASSERT_EQ(manager_.brought(ops::kOpsKind).size(), 1u);
  EXPECT_EQ(manager_.brought(ops::kOpsKind)[0]->plugin->id(), "org.loci.test.rival");
  EXPECT_TRUE(device::kernel_libraries(manager_, "cpu").empty());
  EXPECT_THAT(find("b.so").cause, HasSubstr("its op 'sample.swish' is taken"));
  const std::string lines = manager_.explain_missing(ops::kOpsKind);
  EXPECT_THAT(lines, HasSubstr((folder_.path() / "b.so").string()));
  EXPECT_THAT(lines, HasSubstr("leave one of the two plugins out by its id"));
}

TEST_F(PluginManagerTest, DoesNotUnloadWhatBringsOps) {
  folder_.add("swish");
  ASSERT_EQ(manager_.brought(ops::kOpsKind).size(), 1u);
  const Error error = error_of([&] { manager_.unload("org.example.sample"); });
  EXPECT_EQ(error.code(), ErrorCode::kFailed);
  EXPECT_THAT(error.what(),
              HasSubstr("org.example.sample brings ops, to which programs may refer"));
  EXPECT_EQ(manager_.brought(ops::kOpsKind).size(), 1u);
}

TEST_F(PluginManagerTest, UnloadNamesWhatItDoesNotKnow) {
  folder_.add("minimal");
  const Error error = error_of([&] { manager_.unload("org.loci.test.minimum"); });
  EXPECT_EQ(error.code(), ErrorCode::kNotFound);
  EXPECT_THAT(error.what(), HasSubstr("there is no plugin 'org.loci.test.minimum'"));
  EXPECT_THAT(error.what(), HasSubstr("did you mean 'org.loci.test.minimal'"));
}

TEST_F(PluginManagerTest, ServesThreadsAtOnce) {
  folder_.add("minimal");
  folder_.add("other");
  folder_.add("no_symbol");
  std::vector<std::vector<const device::DeviceBackend*>> seen(8);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    threads.emplace_back([this, i, &seen] {
      seen[i] = device::backends(manager_, i % 2 == 0 ? "minimal" : "other");
      manager_.report(true);
      manager_.explain_missing(device::kBackendKind, "no_symbol");
      device::kernel_libraries(manager_, "minimal");
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < seen.size(); ++i) {
    ASSERT_EQ(seen[i].size(), 1u);
    EXPECT_EQ(seen[i], seen[i % 2]);
  }
}

TEST_F(PluginManagerTest, TheEnvironmentIsSearched) {
  const test::PluginFolder other;
  other.add("other");
  core::set_config_value("PLUGIN_PATH", "plugins:" + other.path().string() + "::/no/such/folder");
  folder_.add("minimal");
  EXPECT_THAT(manager_.declared(device::kBackendKind), ElementsAre("minimal", "other"));
  const std::vector<Candidate> report = manager_.report(false);
  ASSERT_EQ(report.size(), 4u);
  EXPECT_THAT(report[0].cause, HasSubstr("not absolute"));
  EXPECT_EQ(report[1].id, "org.loci.test.other");
  EXPECT_EQ(report[2].path, "/no/such/folder");
  EXPECT_EQ(report[2].remedy, "correct LOCI_PLUGIN_PATH");
  EXPECT_EQ(report[3].id, "org.loci.test.minimal");
}

TEST_F(PluginManagerTest, AsksTheCheckAboutEachPluginThatIsNeeded) {
  plugins::SearchOptions options;
  options.directories = {folder_.path().string()};
  folder_.add("minimal");
  folder_.add("other");
  std::vector<std::string> asked;
  options.check = [&asked](const Candidate& candidate) -> std::optional<plugins::Refusal> {
    asked.push_back(candidate.id);
    if (candidate.id != "org.loci.test.minimal") return std::nullopt;
    return plugins::Refusal{"not this one", "take another"};
  };
  manager_.configure(options);
  EXPECT_TRUE(device::backends(manager_, "minimal").empty());
  EXPECT_THAT(asked, ElementsAre("org.loci.test.minimal"));
  EXPECT_THAT(manager_.explain_missing(device::kBackendKind, "minimal"),
              HasSubstr("not this one; take another"));
  EXPECT_EQ(device::backends(manager_, "other").size(), 1u);
  const std::vector<plugins::SearchPlace> places = manager_.search_places();
  ASSERT_FALSE(places.empty());
  EXPECT_EQ(places[0].path, folder_.path().string());
  EXPECT_EQ(places[0].files.size(), 2u);
}

}  // namespace
}  // namespace loci::plugin
