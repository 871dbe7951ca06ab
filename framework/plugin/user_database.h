// The users and groups of this system, as far as they can be known.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace loci::plugin {

struct UserDatabase {
  struct User {
    std::string name;
    uid_t id;
    gid_t group;  // the primary one
  };
  struct Group {
    std::string name;
    gid_t id;
    std::vector<std::string> members;  // beside those whose primary group it is
  };
  std::vector<User> users;
  std::vector<Group> groups;
  std::string gap;  // why there may be more than these, for people; empty if there are not
};

// Reads passwd and group in the directory `etc`, whose nsswitch.conf says whether those are all: a
// directory service has users that cannot be listed. Not by getpwent(), whose place in the list
// all threads of a process share. Thread-safe.
UserDatabase read_user_database(const std::string& etc = "/etc");

// Why `group` may have a member who is neither root nor `user`; empty if it has none. A user
// without an entry, as in many containers, has the group with the same number.
std::string objection_to_group(const UserDatabase& database, gid_t group, uid_t user);

}  // namespace loci::plugin
