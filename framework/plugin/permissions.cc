#include "framework/plugin/permissions.h"

#include <fmt/format.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "framework/plugin/access_list.h"
#include "framework/plugin/load_error.h"
#include "framework/plugin/user_database.h"

namespace loci::plugin {
namespace {

constexpr std::size_t kUsualAccessList = 512;
constexpr std::size_t kMaxAccessList = std::size_t{64} * 1024;  // of any attribute

[[noreturn]] void refuse_permission(const std::string& cause, const std::string& remedy) {
  throw LoadError(ErrorCode::kPermissionDenied, cause, remedy);
}

[[noreturn]] void refuse_unexamined(const std::string& path, int error) {
  throw LoadError(error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kPermissionDenied,
                  fmt::format("'{}' cannot be examined: {}", path, std::strerror(error)),
                  "give a path that is there and that this user may read");
}

// A check of one file or directory by the rule.
class Check {
 public:
  Check(const FileFacts& facts, uid_t user, const GroupJudge& judge)
      : facts_(facts),
        user_(user),
        judge_(judge),
        subject_(fmt::format("the {} '{}'", S_ISDIR(facts.status.st_mode) ? "directory" : "file",
                             facts.path)) {}

  void owner() const {
    const uid_t owner = facts_.status.st_uid;
    if (owner == 0 || owner == user_) return;
    refuse_permission(
        fmt::format("{} belongs to user {}, who is neither root nor the user {} of this process",
                    subject_, owner, user_),
        fmt::format("chown it to one of them, if you trust its content: chown {} '{}'", user_,
                    facts_.path));
  }

  void all_others() const {
    if ((facts_.status.st_mode & S_IWOTH) == 0) return;
    refuse_permission(fmt::format("{} is world-writable", subject_),
                      fmt::format("chmod o-w '{}'", facts_.path));
  }

  // With an access list, the group's bits of the mode are the mask.
  void groups() const {
    if (facts_.access_list.empty()) {
      if ((facts_.status.st_mode & S_IWGRP) != 0) owning_group();
      return;
    }
    const std::optional<AccessList> list = parse_access_list(facts_.access_list);
    if (!list) {
      refuse_permission(fmt::format("{} has an access list that cannot be understood", subject_),
                        fmt::format("remove it: setfacl -b '{}'", facts_.path));
    }
    if (list->owning_group) owning_group();
    for (const uid_t id : list->users) named_user(id);
    for (const gid_t id : list->groups) named_group(id);
  }

 private:
  void owning_group() const {
    const std::string objection = judge_(facts_.status.st_gid, user_);
    if (objection.empty()) return;
    refuse_permission(
        fmt::format("{} is writable by group {}, {}", subject_, facts_.status.st_gid, objection),
        fmt::format("chmod g-w '{}'", facts_.path));
  }

  void named_user(uid_t id) const {
    if (id == 0 || id == user_) return;
    refuse_permission(
        fmt::format("{} is writable by user {}, whom its access list names", subject_, id),
        fmt::format("setfacl -x u:{} '{}'", id, facts_.path));
  }

  void named_group(gid_t id) const {
    const std::string objection = judge_(id, user_);
    if (objection.empty()) return;
    refuse_permission(
        fmt::format("{} is writable by group {} of its access list, {}", subject_, id, objection),
        fmt::format("setfacl -x g:{} '{}'", id, facts_.path));
  }

  const FileFacts& facts_;
  uid_t user_;
  const GroupJudge& judge_;
  std::string subject_;
};

// Reads the list with one of the functions of getxattr(2).
template <class Get>
std::string read_access_list(const std::string& path, Get&& get) {
  for (const std::size_t room : {kUsualAccessList, kMaxAccessList}) {
    std::string bytes(room, '\0');
    const ssize_t size = get(bytes.data(), bytes.size());
    if (size >= 0) return bytes.substr(0, static_cast<std::size_t>(size));
    if (errno != ERANGE) break;
  }
  // There is none, the file system has none, or the kernel does not know of any.
  if (errno == ENODATA || errno == ENOTSUP || errno == ENOSYS) return {};
  refuse_permission(
      fmt::format("the access list of '{}' cannot be read: {}", path, std::strerror(errno)),
      "have the plugin where this user may read it");
}

std::string judge_group(gid_t group, uid_t user) {
  return objection_to_group(read_user_database(), group, user);
}

void check_directory(const std::string& path, Role role) {
  FileFacts facts{path, {}, {}};
  if (::lstat(path.c_str(), &facts.status) != 0) refuse_unexamined(path, errno);
  if (!S_ISDIR(facts.status.st_mode)) {
    refuse_permission(fmt::format("'{}' is no directory any more", path),
                      "see who changes that path, and start again");
  }
  facts.access_list = read_access_list(path, [&path](char* bytes, std::size_t size) {
    return ::lgetxattr(path.c_str(), kAccessListAttribute, bytes, size);
  });
  check_access(facts, role, ::geteuid(), judge_group);
}

// The directories that lead to `path`, "/" first.
void check_ancestors(const std::string& path, Role last) {
  for (std::size_t slash = 0, next = 0; slash != std::string::npos; slash = next) {
    next = path.find('/', slash + 1);
    const Role role = next == std::string::npos ? last : Role::kAncestor;
    check_directory(slash == 0 ? "/" : path.substr(0, slash), role);
  }
}

}  // namespace

void check_access(const FileFacts& facts, Role role, uid_t user, const GroupJudge& judge) {
  const Check check(facts, user, judge);
  check.owner();
  const bool sticky = (facts.status.st_mode & S_ISVTX) != 0 && facts.status.st_uid == 0;
  if (role == Role::kAncestor && sticky) return;
  check.all_others();
  check.groups();
}

void check_directories_above(const std::string& path) {
  check_ancestors(path, Role::kPluginDirectory);
}

void check_plugin_directory(const std::string& directory) {
  check_ancestors(directory == "/" ? directory : directory + "/", Role::kPluginDirectory);
}

void check_plugin_file(int descriptor, const std::string& path) {
  FileFacts facts{path, {}, {}};
  if (::fstat(descriptor, &facts.status) != 0) refuse_unexamined(path, errno);
  facts.access_list = read_access_list(path, [descriptor](char* bytes, std::size_t size) {
    return ::fgetxattr(descriptor, kAccessListAttribute, bytes, size);
  });
  check_access(facts, Role::kFile, ::geteuid(), judge_group);
}

}  // namespace loci::plugin
