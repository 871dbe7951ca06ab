#include "framework/plugin/search_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "framework/core/config.h"
#include "tests/support/plugins/plugin_folder.h"

namespace loci::plugin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class SearchPath : public testing::Test {
 protected:
  std::string touch(const std::string& name) {
    test::write_file(folder_.path() / name, "");
    return (folder_.path() / name).string();
  }

  std::vector<std::string> paths() {
    std::vector<std::string> result;
    for (const Found& found : find_candidates(places_)) result.push_back(found.path);
    return result;
  }

  Found only() {
    std::vector<Found> found = find_candidates(places_);
    EXPECT_EQ(found.size(), 1u);
    return found.at(0);
  }

  test::PluginFolder folder_;
  SearchPlaces places_;
};

TEST_F(SearchPath, KeepsTheOrderOfTheSearch) {
  const test::PluginFolder named;
  const test::PluginFolder environment;
  const test::PluginFolder installed;
  test::write_file(named.path() / "n.so", "");
  test::write_file(environment.path() / "e.so", "");
  test::write_file(installed.path() / "i.so", "");
  places_.files = {touch("z.so")};
  places_.directories = {named.path().string()};
  places_.environment = environment.path().string();
  places_.install_directory = installed.path().string();
  EXPECT_THAT(
      paths(),
      ElementsAre((folder_.path() / "z.so").string(), (named.path() / "n.so").string(),
                  (environment.path() / "e.so").string(), (installed.path() / "i.so").string()));
}

TEST_F(SearchPath, ListsLibrariesByName) {
  const std::string b = touch("b.so");
  const std::string a = touch("a.so");
  touch("a.so.1");
  touch("readme.txt");
  test::fs::create_directory(folder_.path() / "folder.so");
  places_.directories = {folder_.path().string()};
  EXPECT_THAT(paths(), ElementsAre(a, b));
}

TEST_F(SearchPath, GivesAFileOnce) {
  const std::string file = touch("a.so");
  test::fs::create_symlink(file, folder_.path() / "link.so");
  places_.files = {file};
  places_.directories = {folder_.path().string(), folder_.path().string() + "/."};
  EXPECT_THAT(paths(), ElementsAre(file));
}

TEST_F(SearchPath, RefusesRelativeDirectories) {
  places_.environment = ".";
  const Found found = only();
  EXPECT_EQ(found.path, ".");
  EXPECT_THAT(found.refusal->cause(), HasSubstr("the working directory is not searched"));
}

TEST_F(SearchPath, EmptyEntriesAreNotTheWorkingDirectory) {
  places_.environment = "::";
  EXPECT_TRUE(paths().empty());
}

TEST_F(SearchPath, RefusesDirectoriesThatOthersCanWrite) {
  touch("a.so");
  ::chmod(folder_.path().c_str(), 0777);
  places_.directories = {folder_.path().string()};
  const Found found = only();
  EXPECT_EQ(found.path, folder_.path().string());
  EXPECT_THAT(found.refusal->cause(), HasSubstr("world-writable"));
}

TEST_F(SearchPath, LooksAtWhatIsAboveADirectoryOfALink) {
  const test::fs::path upper = folder_.path() / "upper";
  test::fs::create_directories(upper / "plugins");
  ::chmod((upper / "plugins").c_str(), 0755);
  ::chmod(upper.c_str(), 0777);
  const test::PluginFolder elsewhere;
  test::fs::create_directory_symlink(upper / "plugins", elsewhere.path() / "link");
  places_.directories = {(elsewhere.path() / "link").string()};
  const Found found = only();
  EXPECT_EQ(found.path, (elsewhere.path() / "link").string());
  EXPECT_EQ(found.refusal->cause(), "the directory '" + upper.string() + "' is world-writable");
}

TEST_F(SearchPath, NamesWhatIsNotThere) {
  places_.environment = "/no/such/folder";
  EXPECT_EQ(only().refusal->code(), ErrorCode::kNotFound);
  EXPECT_EQ(only().refusal->cause(), "there is no such directory");
  EXPECT_EQ(only().refusal->remedy(), "correct LOCI_PLUGIN_PATH");
  places_ = {};
  places_.files = {"/no/such/plugin.so"};
  EXPECT_THAT(only().refusal->cause(), HasSubstr("there is no such file"));
  places_ = {};
  places_.directories = {touch("file")};
  EXPECT_THAT(only().refusal->cause(), HasSubstr("is not a directory"));
  places_ = {};
  places_.install_directory = "/no/such/folder";
  EXPECT_TRUE(paths().empty());
}

TEST_F(SearchPath, ReadsTheEnvironment) {
  core::set_config_value("PLUGIN_PATH", "/a:/b");
  EXPECT_EQ(environment_plugin_path(), "/a:/b");
}

TEST_F(SearchPath, TheInstallDirectoryIsBesideTheExecutable) {
  const test::fs::path prefix = test::built_plugin("x").parent_path().parent_path();
  EXPECT_EQ(install_plugin_directory(), (prefix / "plugins").string());
}

TEST_F(SearchPath, DescribesPlacesInOrder) {
  const test::PluginFolder named;
  test::write_file(named.path() / "n.so", "");
  const std::string file = touch("z.so");
  places_.files = {file};
  places_.directories = {named.path().string(), folder_.path().string()};
  places_.environment = "/no/such/folder";
  places_.install_directory = "/no/such/installation";
  const std::vector<plugins::SearchPlace> places = describe_places(places_);
  ASSERT_EQ(places.size(), 5u);
  EXPECT_EQ(places[0].path, file);
  EXPECT_EQ(places[0].origin, "file");
  EXPECT_THAT(places[0].files, ElementsAre(file));
  EXPECT_EQ(places[1].origin, "directory");
  EXPECT_THAT(places[1].files, ElementsAre((named.path() / "n.so").string()));
  EXPECT_FALSE(places[1].refusal);
  EXPECT_THAT(places[2].files, ElementsAre()) << "given by an earlier place";
  EXPECT_EQ(places[3].origin, "LOCI_PLUGIN_PATH");
  EXPECT_EQ(places[3].refusal->cause, "there is no such directory");
  EXPECT_EQ(places[3].refusal->remedy, "correct LOCI_PLUGIN_PATH");
  EXPECT_EQ(places[4].origin, "installation");
  EXPECT_EQ(places[4].refusal->cause, "there is no such directory");
}

}  // namespace
}  // namespace loci::plugin
