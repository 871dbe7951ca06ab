#include "framework/plugin/permissions.h"

#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <unistd.h>

#include <string>

#include "tests/framework/plugin/load_error_matcher.h"
#include "tests/support/plugins/plugin_folder.h"

namespace loci::plugin {
namespace {

using test::load_error_of;
using testing::HasSubstr;

constexpr uid_t kNobodyKnown = 3'123'456;  // a number without an entry in the user database

struct stat status_of(mode_t mode, uid_t owner, gid_t group) {
  struct stat status {};
  status.st_mode = mode;
  status.st_uid = owner;
  status.st_gid = group;
  return status;
}

LoadError error_of(const struct stat& status, uid_t user) {
  const LoadError error = load_error_of([&] { check_ownership(status, "/p", user); });
  EXPECT_EQ(error.code(), ErrorCode::kPermissionDenied);
  return error;
}

TEST(Permissions, AcceptsTheUserAndRoot) {
  check_ownership(status_of(S_IFREG | 0755, 1000, 1000), "/p", 1000);
  check_ownership(status_of(S_IFREG | 0644, 0, 0), "/p", 1000);
  check_ownership(status_of(S_IFDIR | 0755, 0, 50), "/p", 0);
}

TEST(Permissions, RefusesOtherOwners) {
  const LoadError error = error_of(status_of(S_IFREG | 0644, 1001, 1001), 1000);
  EXPECT_THAT(error.cause(), HasSubstr("the file '/p' belongs to user 1001"));
  EXPECT_THAT(error.remedy(), HasSubstr("chown 1000 '/p'"));
  error_of(status_of(S_IFREG | 0644, 1000, 1000), 0);
}

TEST(Permissions, RefusesWhatAllCanWrite) {
  const LoadError file = error_of(status_of(S_IFREG | 0666, 0, 0), 0);
  EXPECT_EQ(file.cause(), "the file '/p' is world-writable");
  EXPECT_EQ(file.remedy(), "chmod o-w '/p'");
  EXPECT_EQ(error_of(status_of(S_IFDIR | 01777, 0, 0), 0).cause(),
            "the directory '/p' is world-writable");
}

TEST(Permissions, RefusesWhatAForeignGroupCanWrite) {
  const LoadError error = error_of(status_of(S_IFREG | 0664, kNobodyKnown, 7), kNobodyKnown);
  EXPECT_THAT(error.cause(), HasSubstr("writable by group 7"));
  EXPECT_EQ(error.remedy(), "chmod g-w '/p'");
}

TEST(Permissions, AcceptsThePrivateGroup) {
  check_ownership(status_of(S_IFREG | 0664, kNobodyKnown, kNobodyKnown), "/p", kNobodyKnown);
  const passwd* root = ::getpwuid(0);
  const group* wheel = root == nullptr ? nullptr : ::getgrgid(root->pw_gid);
  if (wheel == nullptr || std::string("root") != wheel->gr_name || *wheel->gr_mem != nullptr) {
    GTEST_SKIP() << "root has no private group here";
  }
  check_ownership(status_of(S_IFREG | 0664, 0, wheel->gr_gid), "/p", 0);
}

TEST(Permissions, LooksAtTheFile) {
  const test::PluginFolder folder;
  const std::string file = folder.add("minimal").string();
  check_permissions(file);
  check_permissions(folder.path().string());
  ::chmod(file.c_str(), 0646);
  EXPECT_THAT(load_error_of([&file] { check_permissions(file); }).cause(),
              HasSubstr("world-writable"));
  const LoadError absent = load_error_of([] { check_permissions("/no/such/file"); });
  EXPECT_EQ(absent.code(), ErrorCode::kNotFound);
  EXPECT_THAT(absent.cause(), HasSubstr("/no/such/file"));
}

}  // namespace
}  // namespace loci::plugin
