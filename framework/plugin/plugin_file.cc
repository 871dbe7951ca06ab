#include "framework/plugin/plugin_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "framework/plugin/load_error.h"
#include "framework/plugin/permissions.h"

namespace loci::plugin {
namespace {

bool is_same_time(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

// The time of the last change cannot be set back, as that of the last write can.
bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size &&
         is_same_time(a.st_mtim, b.st_mtim) && is_same_time(a.st_ctim, b.st_ctim);
}

// Links have been followed before: one that is there now was not looked at.
int open_checked(const std::string& path) {
  check_directories_above(path);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor >= 0) return descriptor;
  throw LoadError(errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kPermissionDenied,
                  fmt::format("'{}' cannot be opened: {}", path, std::strerror(errno)),
                  "give a path that is there and that this user may read");
}

}  // namespace

PluginFile::PluginFile(const std::string& path) : path_(path), descriptor_(open_checked(path)) {
  try {
    check_plugin_file(descriptor_, path_);
    if (::fstat(descriptor_, &status_) != 0 || !S_ISREG(status_.st_mode)) {
      throw LoadError(ErrorCode::kInvalidArgument, "it is not a regular file",
                      "give the path of a shared library");
    }
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

PluginFile::~PluginFile() { close(); }

void PluginFile::close() noexcept {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

void PluginFile::require_unchanged() const {
  check_directories_above(path_);
  struct stat now {};
  if (::lstat(path_.c_str(), &now) == 0 && is_same_file(now, status_)) return;
  throw LoadError(ErrorCode::kFailed, "the file was changed or replaced after it was checked",
                  "start again, when nothing installs or updates the plugin any more");
}

}  // namespace loci::plugin
