#include "framework/plugin/user_database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/plugins/plugin_folder.h"

namespace loci::plugin {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr uid_t kOwner = 1000;
constexpr gid_t kOwnersGroup = 1000;

class UserDatabaseTest : public testing::Test {
 protected:
  UserDatabaseTest() {
    write("passwd", "root:x:0:0::/root:/bin/sh\nalice:x:1000:1000::/home/alice:/bin/sh\n");
    write("group", "root:x:0:\nalice:x:1000:\nstaff:x:50:\n");
    write("nsswitch.conf", "passwd: files\ngroup:  files\nhosts: files dns\n");
  }

  void write(const char* name, const std::string& text) {
    test::write_file(folder_.path() / name, text);
  }
  UserDatabase read() { return read_user_database(folder_.path().string()); }
  std::string objection(gid_t group = kOwnersGroup) {
    return objection_to_group(read(), group, kOwner);
  }

  test::PluginFolder folder_;
};

TEST_F(UserDatabaseTest, ReadsUsersAndGroups) {
  write("group", "staff:x:50:alice,bob\n");
  const UserDatabase database = read();
  ASSERT_THAT(database.users, SizeIs(2));
  EXPECT_EQ(database.users[1].name, "alice");
  EXPECT_EQ(database.users[1].group, kOwnersGroup);
  ASSERT_THAT(database.groups, SizeIs(1));
  EXPECT_THAT(database.groups[0].members, testing::ElementsAre("alice", "bob"));
  EXPECT_EQ(database.gap, "");
}

TEST_F(UserDatabaseTest, AcceptsTheOwnGroupsOfTheUserAndRoot) {
  EXPECT_EQ(objection(), "");
  EXPECT_EQ(objection(0), "");
  write("group", "alice:x:1000:alice,root\n");
  EXPECT_EQ(objection(), "");
}

TEST_F(UserDatabaseTest, SeesMembers) {
  write("group", "alice:x:1000:\nsame:x:1000:alice,bob\n");
  EXPECT_EQ(objection(), "which the user 'bob' belongs to");
}

// The group's own list is empty, and yet she is in it.
TEST_F(UserDatabaseTest, SeesAnotherUsersPrimaryGroup) {
  write("passwd", "alice:x:1000:1000::/:/bin/sh\nmallory:x:1001:1000::/:/bin/sh\n");
  EXPECT_EQ(objection(), "which the user 'mallory' belongs to");
}

TEST_F(UserDatabaseTest, AGroupOfNobodyMayBeAnybodys) {
  EXPECT_EQ(objection(50), "which is the own group of neither root nor user 1000");
  EXPECT_EQ(objection(4711), "which is the own group of neither root nor user 1000");
}

TEST_F(UserDatabaseTest, AUserWithoutAnEntryHasTheGroupOfTheSameNumber) {
  const UserDatabase database = read();
  EXPECT_EQ(objection_to_group(database, 2000, 2000), "");
  EXPECT_NE(objection_to_group(database, 2001, 2000), "");
  write("passwd", "bob:x:1001:2000::/:/bin/sh\n");
  EXPECT_NE(objection_to_group(read(), 2000, 2000), "");
}

TEST_F(UserDatabaseTest, ADirectoryServiceHasUsersThatCannotBeListed) {
  write("nsswitch.conf", "# local\npasswd:\tfiles [NOTFOUND=return UNAVAIL=continue] sss # sss\n");
  EXPECT_THAT(read().gap, HasSubstr("/nsswitch.conf names the source 'sss'"));
  EXPECT_THAT(objection(), HasSubstr("whose members cannot all be known ("));
  write("nsswitch.conf", "passwd: files\ngroup:files ldap\n");
  EXPECT_THAT(read().gap, HasSubstr("'ldap'"));
  write("nsswitch.conf", "passwd: files\ninitgroups: files nis\n");
  EXPECT_THAT(read().gap, HasSubstr("'nis'"));
  write("nsswitch.conf", "passwd: compat\ngroup: files\nnetgroup: nis\n#passwd: sss\n");
  EXPECT_EQ(read().gap, "");
}

TEST_F(UserDatabaseTest, RecordsOfSystemdAreUsersToo) {
  write("nsswitch.conf", "passwd: files systemd\n");
  const std::string before = read().gap;
  test::fs::create_directory(folder_.path() / "userdb");
  EXPECT_EQ(read().gap, before) << "empty";
  test::write_file(folder_.path() / "userdb" / "mallory.user", "{}");
  EXPECT_THAT(read().gap, HasSubstr("/userdb has records of further users"));
}

TEST_F(UserDatabaseTest, WithoutASwitchTheFilesAreAll) {
  test::fs::remove(folder_.path() / "nsswitch.conf");
  EXPECT_EQ(objection(), "");
}

TEST_F(UserDatabaseTest, AnInclusionIsAGap) {
  write("passwd", "root:x:0:0::/root:/bin/sh\nalice:x:1000:1000::/:/bin/sh\n+::::::\n");
  EXPECT_THAT(read().gap, HasSubstr("/passwd has entries that cannot be read"));
  EXPECT_THAT(objection(), HasSubstr("whose members cannot all be known"));
}

TEST_F(UserDatabaseTest, ReadsThisSystem) {
  const UserDatabase database = read_user_database();
  if (!test::fs::exists("/etc/passwd")) GTEST_SKIP() << "there is no /etc/passwd";
  EXPECT_THAT(database.users, testing::Not(IsEmpty()));
}

}  // namespace
}  // namespace loci::plugin
