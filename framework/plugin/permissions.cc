#include "framework/plugin/permissions.h"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "framework/plugin/load_error.h"

namespace loci::plugin {
namespace {

constexpr std::size_t kMaxRecord = std::size_t{1} << 20;

// Calls one of the reentrant look-ups with a buffer that is large enough.
template <class Record, class Id, class LookUp, class Use>
bool with_record(LookUp&& look_up, Id id, Use&& use) {
  Record record{};
  Record* found = nullptr;
  for (std::size_t size = 1024; size <= kMaxRecord; size *= 4) {
    std::vector<char> buffer(size);
    if (look_up(id, &record, buffer.data(), buffer.size(), &found) == ERANGE) continue;
    return found != nullptr && use(*found);
  }
  return false;
}

// A user without an entry, as in many containers, has the group with the same number.
bool is_private_group(gid_t group, uid_t owner) {
  std::optional<std::string> user_name;
  with_record<passwd>(::getpwuid_r, owner, [&user_name](const passwd& user) {
    user_name = user.pw_name;
    return true;
  });
  if (!user_name) return group == owner;
  return with_record<::group>(::getgrgid_r, group, [&user_name](const ::group& entry) {
    if (*user_name != entry.gr_name) return false;
    for (char** member = entry.gr_mem; *member != nullptr; ++member) {
      if (*user_name != *member) return false;
    }
    return true;
  });
}

[[noreturn]] void refuse_permission(const std::string& cause, const std::string& remedy) {
  throw LoadError(ErrorCode::kPermissionDenied, cause, remedy);
}

}  // namespace

void check_ownership(const struct stat& status, const std::string& path, uid_t user) {
  const char* what = S_ISDIR(status.st_mode) ? "directory" : "file";
  if (status.st_uid != 0 && status.st_uid != user) {
    refuse_permission(
        fmt::format("the {} '{}' belongs to user {}, who is neither root nor the user {} of "
                    "this process",
                    what, path, status.st_uid, user),
        fmt::format("chown it to one of them, if you trust its content: chown {} '{}'", user,
                    path));
  }
  if ((status.st_mode & S_IWOTH) != 0) {
    refuse_permission(fmt::format("the {} '{}' is world-writable", what, path),
                      fmt::format("chmod o-w '{}'", path));
  }
  if ((status.st_mode & S_IWGRP) != 0 && !is_private_group(status.st_gid, status.st_uid)) {
    refuse_permission(fmt::format("the {} '{}' is writable by group {}, which others belong to",
                                  what, path, status.st_gid),
                      fmt::format("chmod g-w '{}'", path));
  }
}

void check_permissions(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    const int error = errno;
    throw LoadError(error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kPermissionDenied,
                    fmt::format("'{}' cannot be examined: {}", path, std::strerror(error)),
                    "give a path that is there and that this user may read");
  }
  check_ownership(status, path, ::geteuid());
}

}  // namespace loci::plugin
