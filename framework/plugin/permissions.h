// Who could have put a plugin there.
#pragma once

#include <sys/stat.h>

#include <functional>
#include <string>

namespace loci::plugin {

// Code of a plugin runs with the rights of this process, so its file and all directories on the way
// to it may be writable by the user and root only. The functions throw LoadError(kPermissionDenied)
// with the path, the cause and what to do about it; kNotFound for what is not there. Paths are
// absolute and without links.

// Every directory above `path`, from the root down: whom an upper one trusts decides who could have
// changed what is below it, so that the path stays what it is once the last one has passed.
void check_directories_above(const std::string& path);
// Checks every directory above `directory`, and that one itself, in which plugins lie.
void check_plugin_directory(const std::string& directory);
// The open file itself; `path` is for messages.
void check_plugin_file(int descriptor, const std::string& path);

// The rule, with all that it needs to know.

enum class Role {
  kFile,
  kPluginDirectory,  // a plugin lies in it
  kAncestor,         // one above that
};

struct FileFacts {
  std::string path;
  struct stat status;
  std::string access_list;  // the attribute's value, see access_list.h; empty: there is none
};

// Why others than root and the user may be in the group; empty if nobody else is.
using GroupJudge = std::function<std::string(gid_t group, uid_t user)>;

// For a process of the effective user `user`. Refuses what is owned by neither root nor the user,
// and what others may write: all, a group that is not private, or a user or group that the access
// list names. An ancestor may be a directory of root with the sticky bit, such as /tmp, as there
// nobody can replace what another owns.
void check_access(const FileFacts& facts, Role role, uid_t user, const GroupJudge& judge);

}  // namespace loci::plugin
