#include "framework/plugin/permissions.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "framework/plugin/access_list.h"
#include "tests/framework/plugin/access_list_bytes.h"
#include "tests/framework/plugin/load_error_matcher.h"
#include "tests/support/plugins/plugin_folder.h"

namespace loci::plugin {
namespace {

using test::access_list_bytes;
using test::access_list_with;
using test::load_error_of;
using testing::HasSubstr;

constexpr uid_t kAlice = 1000;
constexpr gid_t kPrivate = 1000;  // to the judge of these tests

std::string judge(gid_t group, uid_t /*user*/) {
  return group == kPrivate ? "" : "which others belong to";
}

FileFacts facts(mode_t mode, uid_t owner, gid_t group = kPrivate, std::string access_list = {}) {
  FileFacts result{"/p", {}, std::move(access_list)};
  result.status.st_mode = mode;
  result.status.st_uid = owner;
  result.status.st_gid = group;
  return result;
}

void accept(const FileFacts& facts, Role role = Role::kFile, uid_t user = kAlice) {
  EXPECT_NO_THROW(check_access(facts, role, user, judge));
}

LoadError error_of(const FileFacts& facts, Role role = Role::kFile, uid_t user = kAlice) {
  LoadError error = load_error_of([&] { check_access(facts, role, user, judge); });
  EXPECT_EQ(error.code(), ErrorCode::kPermissionDenied);
  return error;
}

TEST(CheckAccess, AcceptsTheUserAndRoot) {
  accept(facts(S_IFREG | 0755, kAlice));
  accept(facts(S_IFREG | 0644, 0, 0));
  accept(facts(S_IFDIR | 0755, 0, 50), Role::kAncestor, /*user=*/0);
}

TEST(CheckAccess, RefusesOtherOwners) {
  const LoadError error = error_of(facts(S_IFREG | 0644, 1001, 1001));
  EXPECT_THAT(error.cause(), HasSubstr("the file '/p' belongs to user 1001"));
  EXPECT_THAT(error.remedy(), HasSubstr("chown 1000 '/p'"));
  error_of(facts(S_IFREG | 0644, kAlice), Role::kFile, /*user=*/0);
  error_of(facts(S_IFDIR | 0755, 1001), Role::kAncestor);
}

TEST(CheckAccess, RefusesWhatAllCanWrite) {
  const LoadError file = error_of(facts(S_IFREG | 0666, 0, 0));
  EXPECT_EQ(file.cause(), "the file '/p' is world-writable");
  EXPECT_EQ(file.remedy(), "chmod o-w '/p'");
  EXPECT_EQ(error_of(facts(S_IFDIR | 0777, 0), Role::kAncestor).cause(),
            "the directory '/p' is world-writable");
}

TEST(CheckAccess, ASharedDirectoryOfRootMayBeAboveAPlugin) {
  accept(facts(S_IFDIR | 01777, 0), Role::kAncestor);
  accept(facts(S_IFDIR | 01775, 0, 50), Role::kAncestor);
  error_of(facts(S_IFDIR | 01777, 0), Role::kPluginDirectory);
  // Its owner may replace what is in it.
  error_of(facts(S_IFDIR | 01777, 1001), Role::kAncestor);
  error_of(facts(S_IFDIR | 01777, kAlice), Role::kAncestor);
}

TEST(CheckAccess, RefusesAGroupThatOthersAreIn) {
  accept(facts(S_IFREG | 0664, kAlice));
  const LoadError error = error_of(facts(S_IFREG | 0664, kAlice, 7));
  EXPECT_EQ(error.cause(), "the file '/p' is writable by group 7, which others belong to");
  EXPECT_EQ(error.remedy(), "chmod g-w '/p'");
}

TEST(CheckAccess, RefusesWhomAnAccessListNames) {
  const LoadError user =
      error_of(facts(S_IFREG | 0674, kAlice, kPrivate, access_list_with(test::kUserTag, 6, 1001)));
  EXPECT_EQ(user.cause(), "the file '/p' is writable by user 1001, whom its access list names");
  EXPECT_EQ(user.remedy(), "setfacl -x u:1001 '/p'");
  const LoadError group =
      error_of(facts(S_IFDIR | 0775, 0, 0, access_list_with(test::kGroupTag, 2, 50)),
               Role::kPluginDirectory);
  EXPECT_EQ(group.cause(),
            "the directory '/p' is writable by group 50 of its access list, which others belong "
            "to");
  EXPECT_EQ(group.remedy(), "setfacl -x g:50 '/p'");
  error_of(facts(S_IFDIR | 0775, 0, 0, access_list_with(test::kUserTag, 2, 1001)), Role::kAncestor);
}

TEST(CheckAccess, AcceptsAnAccessListThatLetsNobodyElseWrite) {
  for (const uid_t trusted : {uid_t{0}, kAlice}) {
    accept(facts(S_IFREG | 0674, kAlice, 7, access_list_with(test::kUserTag, 7, trusted)));
  }
  accept(facts(S_IFREG | 0674, kAlice, 7, access_list_with(test::kGroupTag, 7, kPrivate)));
  accept(facts(S_IFREG | 0654, kAlice, 7, access_list_with(test::kUserTag, 7, 1001, /*mask=*/5)));
}

// The right that the mode shows as the group's is the mask then.
TEST(CheckAccess, TheOwningGroupIsThatOfTheAccessList) {
  const auto list = [](std::uint16_t group_rights) {
    return access_list_bytes({{test::kOwnerTag, 7},
                              {test::kUserTag, 7, 0},
                              {test::kOwningGroupTag, group_rights},
                              {test::kMaskTag, 7},
                              {test::kOthersTag, 5}});
  };
  accept(facts(S_IFREG | 0675, kAlice, 7, list(5)));
  EXPECT_THAT(error_of(facts(S_IFREG | 0675, kAlice, 7, list(7))).cause(),
              HasSubstr("is writable by group 7, which others belong to"));
}

TEST(CheckAccess, RefusesAnAccessListThatMakesNoSense) {
  const LoadError error = error_of(facts(S_IFREG | 0644, kAlice, kPrivate, "no list"));
  EXPECT_EQ(error.cause(), "the file '/p' has an access list that cannot be understood");
  EXPECT_EQ(error.remedy(), "remove it: setfacl -b '/p'");
}

class Permissions : public testing::Test {
 protected:
  Permissions() : directory_(folder_.path() / "a" / "b"), file_(directory_ / "loci-x.so") {
    test::fs::create_directories(directory_);
    for (const test::fs::path& made : {directory_.parent_path(), directory_}) {
      ::chmod(made.c_str(), 0755);
    }
    test::write_file(file_, "x");
  }

  std::string refusal_above() {
    return load_error_of([this] { check_directories_above(file_.string()); }).cause();
  }

  void check_file() const {
    const int descriptor = ::open(file_.c_str(), O_RDONLY | O_CLOEXEC);
    ASSERT_GE(descriptor, 0);
    try {
      check_plugin_file(descriptor, file_.string());
    } catch (...) {
      ::close(descriptor);
      throw;
    }
    ::close(descriptor);
  }

  // Why it cannot; empty if it has.
  static std::string let_write(const test::fs::path& path, uid_t user) {
    const std::string list = access_list_with(test::kUserTag, 7, user);
    const int result =
        ::setxattr(path.c_str(), kAccessListAttribute, list.data(), list.size(), /*flags=*/0);
    return result == 0 ? "" : std::string("no access lists here: ") + std::strerror(errno);
  }

  test::PluginFolder folder_;
  test::fs::path directory_;
  test::fs::path file_;
};

TEST_F(Permissions, AcceptWhatTheUserAloneCanWrite) {
  EXPECT_NO_THROW(check_directories_above(file_.string()));
  EXPECT_NO_THROW(check_plugin_directory(directory_.string()));
  EXPECT_NO_THROW(check_plugin_directory("/"));
  EXPECT_NO_THROW(check_file());
}

TEST_F(Permissions, LookAtTheFile) {
  ::chmod(file_.c_str(), 0646);
  EXPECT_THAT(load_error_of([this] { check_file(); }).cause(), HasSubstr("world-writable"));
}

TEST_F(Permissions, LookAtEveryDirectoryAbove) {
  for (const test::fs::path& open : {directory_, directory_.parent_path(), folder_.path()}) {
    ::chmod(open.c_str(), 0777);
    EXPECT_EQ(refusal_above(), "the directory '" + open.string() + "' is world-writable");
    EXPECT_EQ(load_error_of([this] { check_plugin_directory(directory_.string()); }).cause(),
              "the directory '" + open.string() + "' is world-writable");
    ::chmod(open.c_str(), 0755);
  }
}

TEST_F(Permissions, ASharedDirectoryOfAUserIsRefusedUnlessItIsRoots) {
  ::chmod(folder_.path().c_str(), 01777);
  if (::geteuid() == 0) {
    EXPECT_NO_THROW(check_directories_above(file_.string()));
  } else {
    EXPECT_THAT(refusal_above(), HasSubstr("world-writable"));
  }
}

TEST_F(Permissions, LookAtAccessLists) {
  constexpr uid_t kMallory = 54321;
  for (const test::fs::path& path : {directory_, folder_.path()}) {
    const std::string obstacle = let_write(path, kMallory);
    if (!obstacle.empty()) GTEST_SKIP() << obstacle;
    EXPECT_EQ(refusal_above(), "the directory '" + path.string() +
                                   "' is writable by user 54321, whom its access list names");
    ASSERT_EQ(::removexattr(path.c_str(), kAccessListAttribute), 0);
    ::chmod(path.c_str(), 0755);
  }
  ASSERT_EQ(let_write(file_, kMallory), "");
  EXPECT_THAT(load_error_of([this] { check_file(); }).cause(), HasSubstr("by user 54321"));
  ASSERT_EQ(let_write(file_, ::geteuid()), "");
  EXPECT_NO_THROW(check_file());
}

TEST_F(Permissions, FollowNoLink) {
  const test::fs::path link = folder_.path() / "link";
  test::fs::create_directory_symlink(directory_, link);
  EXPECT_THAT(
      load_error_of([&] { check_directories_above((link / "loci-x.so").string()); }).cause(),
      HasSubstr("is no directory any more"));
}

TEST_F(Permissions, NameWhatIsNotThere) {
  const LoadError absent = load_error_of([] { check_directories_above("/no/such/file"); });
  EXPECT_EQ(absent.code(), ErrorCode::kNotFound);
  EXPECT_THAT(absent.cause(), HasSubstr("'/no' cannot be examined: No such file"));
}

}  // namespace
}  // namespace loci::plugin
