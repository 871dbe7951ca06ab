#include "framework/plugin/loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "framework/device/backend_tables.h"
#include "framework/ops/op_library.h"
#include "tests/support/plugins/plugin_folder.h"

namespace loci::plugin {
namespace {

using plugins::Candidate;
using plugins::Stage;
using test::EnvironmentGuard;
using testing::ElementsAre;
using testing::HasSubstr;

class Loader : public testing::Test {
 protected:
  Candidate load(const test::fs::path& path) {
    record_.report = {};
    record_.report.path = path.string();
    examine(record_);
    activate(record_, owners_);
    return record_.report;
  }

  Candidate load_with(const char* fault) {
    const EnvironmentGuard guard("LOCI_TEST_FAULT", fault);
    return load(folder_.add("faulty", std::string(fault) + ".so"));
  }

  void expect_failure(const Candidate& candidate, Stage stage, const std::string& cause) {
    EXPECT_TRUE(candidate.failed);
    EXPECT_EQ(plugins::stage_name(candidate.stage), plugins::stage_name(stage));
    EXPECT_THAT(candidate.cause, HasSubstr(cause));
    EXPECT_FALSE(candidate.remedy.empty());
    EXPECT_EQ(record_.instance, nullptr);
    EXPECT_TRUE(record_.taken.empty());
  }

  const device::BackendTables* backend() const { return record_.get(device::kBackendKind); }

  test::PluginFolder folder_;
  NameOwners owners_;
  Record record_;
};

TEST_F(Loader, ReachesTheLastStage) {
  const Candidate candidate = load(folder_.add("minimal"));
  EXPECT_EQ(candidate.stage, Stage::kActive) << candidate.cause;
  EXPECT_FALSE(candidate.failed);
  EXPECT_EQ(candidate.id, "org.loci.test.minimal");
  EXPECT_EQ(candidate.version, "1.2.3");
  EXPECT_THAT(candidate.kinds, ElementsAre("backend"));
  EXPECT_THAT(candidate.device_types, ElementsAre("minimal"));
  EXPECT_EQ(candidate.cause, "");
  ASSERT_NE(record_.instance, nullptr);
  ASSERT_NE(backend(), nullptr);
  EXPECT_NE(backend()->kernels, nullptr);
}

TEST_F(Loader, TakesOpsWithKernelsForAnotherPluginsDevices) {
  const Candidate candidate = load(folder_.add("swish"));
  EXPECT_EQ(candidate.stage, Stage::kActive) << candidate.cause;
  EXPECT_THAT(candidate.kinds, ElementsAre("ops", "backend"));
  const ops::OpLibrary* library = record_.get(ops::kOpsKind);
  ASSERT_NE(library, nullptr);
  EXPECT_EQ(library->names().front(), "sample.swish");
  EXPECT_EQ(library->plugin, record_.instance.get());
  ASSERT_NE(backend(), nullptr);
  EXPECT_EQ(backend()->device, nullptr);
  EXPECT_NE(backend()->kernels, nullptr);
}

TEST_F(Loader, FailsAtAnOpThatIsTaken) {
  Record first;
  first.report.path = folder_.add("rival").string();
  examine(first);
  activate(first, owners_);
  ASSERT_EQ(first.report.stage, Stage::kActive) << first.report.cause;
  expect_failure(load(folder_.add("swish")), Stage::kCreated,
                 "its op 'sample.swish' is taken: the plugin org.loci.test.rival brought one");
}

TEST_F(Loader, FailsAtOpsThatAreNotThere) {
  const test::fs::path path = folder_.add("minimal");
  test::edit_manifest(path, [](auto& json) { json["kinds"] = {"backend", "ops"}; });
  expect_failure(load(path), Stage::kCreated, "it says that it brings ops, and it has no loci.ops");
}

TEST_F(Loader, ExaminesWithoutMapping) {
  ::unsetenv("LOCI_TEST_MAPPED");
  record_.report.path = folder_.add("marker").string();
  examine(record_);
  EXPECT_EQ(record_.report.stage, Stage::kManifestOk);
  EXPECT_EQ(std::getenv("LOCI_TEST_MAPPED"), nullptr);
  activate(record_, owners_);
  EXPECT_EQ(record_.report.stage, Stage::kActive);
  EXPECT_STREQ(std::getenv("LOCI_TEST_MAPPED"), "1");
}

TEST_F(Loader, DoesNotTouchTheDisabled) {
  record_.report.path = folder_.add("minimal").string();
  examine(record_);
  record_.report.disabled = true;
  activate(record_, owners_);
  EXPECT_EQ(record_.report.stage, Stage::kManifestOk);
}

TEST_F(Loader, FailsAtTheFile) {
  const test::fs::path file = folder_.add("minimal");
  test::write_file(file, test::read_file(file).substr(0, 3000));
  expect_failure(load(file), Stage::kDiscovered, "damaged or cut short");
  test::write_file(file, "text");
  expect_failure(load(file), Stage::kDiscovered, "not an ELF file");
  test::fs::remove(file);
  expect_failure(load(file), Stage::kDiscovered, "No such file");
}

TEST_F(Loader, FailsAtPermissions) {
  const test::fs::path file = folder_.add("minimal");
  ::chmod(file.c_str(), 0666);
  expect_failure(load(file), Stage::kDiscovered, "world-writable");
  ::chmod(file.c_str(), 0644);
  ::chmod(folder_.path().c_str(), 0777);
  expect_failure(load(file), Stage::kDiscovered, "world-writable");
  ::chmod(folder_.path().c_str(), 0755);
  EXPECT_EQ(load(file).stage, Stage::kActive);
}

TEST_F(Loader, LooksAtEveryDirectoryAbove) {
  const test::fs::path upper = folder_.path() / "upper";
  test::fs::create_directories(upper / "lower");
  ::chmod((upper / "lower").c_str(), 0755);
  const test::fs::path file = folder_.add("minimal", "upper/lower/loci-minimal.so");
  ::chmod(upper.c_str(), 0777);
  expect_failure(load(file), Stage::kDiscovered,
                 "the directory '" + upper.string() + "' is world-writable");
  ::chmod(upper.c_str(), 0755);
  EXPECT_EQ(load(file).stage, Stage::kActive);
}

TEST_F(Loader, DoesNotMapAnotherFileThanItHasRead) {
  ::unsetenv("LOCI_TEST_MAPPED");
  const test::fs::path file = folder_.add("minimal", "loci-swapped.so");
  const test::fs::path other = folder_.add("marker", "other.so");
  record_.report.path = file.string();
  examine(record_);
  EXPECT_EQ(record_.report.stage, Stage::kManifestOk);
  test::fs::rename(other, file);
  activate(record_, owners_);
  expect_failure(record_.report, Stage::kManifestOk,
                 "was changed or replaced after it was checked");
  EXPECT_EQ(std::getenv("LOCI_TEST_MAPPED"), nullptr);
}

// Here by its own code; an update at that moment would do the same.
TEST_F(Loader, RefusesAFileThatChangesWhileItIsMapped) {
  const test::fs::path file = folder_.add("risky");
  const EnvironmentGuard risk("LOCI_TEST_RISK", "note in load");
  const EnvironmentGuard notes("LOCI_TEST_NOTES", file.c_str());
  expect_failure(load(file), Stage::kManifestOk, "was changed or replaced after it was checked");
}

TEST_F(Loader, KeepsNoFileOpen) {
  const auto open_files = [] {
    const test::fs::directory_iterator first("/proc/self/fd");
    return std::distance(first, test::fs::directory_iterator());
  };
  record_.report.path = folder_.add("minimal").string();
  const auto before = open_files();
  examine(record_);
  EXPECT_EQ(open_files(), before);
}

TEST_F(Loader, FailsAtTheManifest) {
  test::fs::path file = folder_.add("minimal", "corrupt.so");
  test::edit_manifest(file, [](auto& json) { json = nlohmann::json::array(); });
  expect_failure(load(file), Stage::kDiscovered, "is not an object");
  file = folder_.add("minimal", "none.so");
  test::patch_file(file, std::string("LOCI\0", 5), std::string("COLI\0", 5));
  expect_failure(load(file), Stage::kDiscovered, "no manifest");
}

TEST_F(Loader, RefusesByTheManifestBeforeMapping) {
  ::unsetenv("LOCI_TEST_MAPPED");
  const auto load_edited = [this](auto&& edit) {
    const test::fs::path file = folder_.add("marker");
    test::edit_manifest(file, edit);
    return load(file);
  };
  using Json = nlohmann::json;
  expect_failure(load_edited([](Json& j) { j["abi"]["major"] = 2; }), Stage::kManifestOk,
                 "too new: it was built for ABI major 2, and this Loci has major 1");
  expect_failure(load_edited([](Json& j) { j["abi"]["major"] = 0; }), Stage::kManifestOk,
                 "too old: it was built for ABI major 0, and this Loci has major 1");
  expect_failure(load_edited([](Json& j) { j["abi"]["min_host_minor"] = 7; }), Stage::kManifestOk,
                 "too new: it needs ABI 1.7 or newer");
  expect_failure(load_edited([](Json& j) { j["abi"]["digest"] = "00ff"; }), Stage::kManifestOk,
                 "built with the ABI headers 00ff");
  expect_failure(load_edited([](Json& j) { j["isa"] = {"avx9000"}; }), Stage::kManifestOk,
                 "the CPU feature 'avx9000'");
  EXPECT_EQ(std::getenv("LOCI_TEST_MAPPED"), nullptr);
}

TEST_F(Loader, FailsAtMapping) {
  const Candidate candidate = load(folder_.add("missing_dependency"));
  expect_failure(candidate, Stage::kManifestOk, "libloci_absent.so.7");
  EXPECT_EQ(candidate.remedy, "install the package loci-absent");
}

TEST_F(Loader, FailsAtTheQuery) {
  expect_failure(load(folder_.add("no_symbol")), Stage::kMapped,
                 "does not export the function loci_plugin_query_v1");
  expect_failure(load_with("null_desc"), Stage::kMapped, "cannot work with this Loci");
  expect_failure(load_with("query_throws"), Stage::kMapped, "out of query");
}

TEST_F(Loader, FailsAtNegotiation) {
  expect_failure(load_with("too_new"), Stage::kQueried, "too new: it needs ABI 1.99");
  expect_failure(load_with("other_digest"), Stage::kQueried, "0123456789abcdef");
  expect_failure(load_with("other_id"), Stage::kQueried, "org.loci.test.stranger");
  expect_failure(load_with("tiny_desc"), Stage::kQueried, "states a size of 4 bytes");
  expect_failure(load_with("no_create"), Stage::kQueried, "lacks create");
}

TEST_F(Loader, FailsAtCreation) {
  expect_failure(load_with("create_throws"), Stage::kNegotiated, "out of create");
  expect_failure(load_with("create_throws_int"), Stage::kNegotiated, "let an exception escape");
  expect_failure(load_with("create_fails"), Stage::kNegotiated, "the licence has expired");
}

TEST_F(Loader, FailsAtActivationAndDestroysTheInstance) {
  ::unsetenv("LOCI_TEST_DESTROYED");
  expect_failure(load_with("interface_throws"), Stage::kCreated, "out of get_interface");
  EXPECT_STREQ(std::getenv("LOCI_TEST_DESTROYED"), "1");
  expect_failure(load_with("probe_fails"), Stage::kCreated, "the probe found nothing");
  expect_failure(load_with("no_tables"), Stage::kCreated, "neither");
}

TEST_F(Loader, AsksBeforeItMaps) {
  ::unsetenv("LOCI_TEST_MAPPED");
  record_.report.path = folder_.add("marker").string();
  examine(record_);
  std::string asked;
  activate(record_, owners_, [&asked](const Candidate& candidate) {
    asked = candidate.id;
    return plugins::Refusal{"it was seen to crash", "leave it out"};
  });
  EXPECT_EQ(asked, "org.loci.test.marker");
  EXPECT_EQ(std::getenv("LOCI_TEST_MAPPED"), nullptr);
  EXPECT_EQ(record_.report.stage, Stage::kManifestOk);
  EXPECT_EQ(record_.report.cause, "it was seen to crash");
  EXPECT_EQ(record_.report.remedy, "leave it out");
}

TEST_F(Loader, MapsWhatTheCheckLetsThrough) {
  record_.report.path = folder_.add("minimal").string();
  examine(record_);
  EXPECT_FALSE(record_.report.build_id.empty());
  activate(record_, owners_, [](const Candidate&) { return std::nullopt; });
  EXPECT_EQ(record_.report.stage, Stage::kActive) << record_.report.cause;
  EXPECT_EQ(record_.report.score, 1);
}

}  // namespace
}  // namespace loci::plugin
