#include "framework/core/atomic_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "framework/core/file_error.h"
#include "framework/core/stream_target.h"

namespace loci::core {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kNewMode = 0666;

// A link is resolved here and not by the kernel, whose rule against planted links (see
// protected_symlinks in proc(5)) has to hold all the same.
void check_owner(const std::string& link, const struct stat& status) {
  struct stat directory {};
  const std::string parent = directory_of(link);
  if (::stat(parent.c_str(), &directory) != 0) raise_system_error(parent, "status", errno);
  const bool is_shared = (directory.st_mode & S_ISVTX) != 0 && (directory.st_mode & S_IWOTH) != 0;
  if (!is_shared || status.st_uid == ::geteuid() || status.st_uid == directory.st_uid) return;
  raise_file_error(ErrorCode::kFailed, link, "write",
                   "is a symbolic link of another user in a directory that all may write to; "
                   "remove it, or give another name");
}

std::string follow_links(std::string path) {
  constexpr int kMostLinks = 40;  // as the kernel
  for (int i = 0; i < kMostLinks; ++i) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0 || !S_ISLNK(status.st_mode)) return path;
    check_owner(path, status);
    std::error_code error;
    const fs::path target = fs::read_symlink(path, error);
    if (error) raise_system_error(path, "symbolic link", error.value());
    path = (fs::path(directory_of(path)) / target).string();
  }
  raise_system_error(path, "symbolic link", ELOOP);
}

// Returns the mode of the file that will be replaced, or 0.
mode_t mode_of_target(const std::string& path, Links links) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return 0;
  if (S_ISREG(status.st_mode)) return status.st_mode & 07777;
  if (S_ISLNK(status.st_mode) && links == Links::kReplace) return 0;
  raise_file_error(ErrorCode::kFailed, path, "write",
                   "is {}, not a regular file; give another name",
                   S_ISDIR(status.st_mode) ? "a directory" : "a pipe, socket or device");
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path, Links links) {
  if (links == Links::kFollow) stream_ = open_stream_target(path);
  if (stream_ != nullptr) return;
  target_ = links == Links::kFollow ? follow_links(path) : path;
  const mode_t mode = mode_of_target(target_, links);
  temporary_.emplace(directory_of(target_), kNewMode, target_);
  if (mode != 0) temporary_->set_mode(mode);
}

void AtomicFile::write(const void* data, std::uint64_t bytes) {
  if (temporary_) {
    temporary_->write(data, bytes);
  } else {
    pending_.append(static_cast<const char*>(data), bytes);
  }
}

void AtomicFile::write_at(std::uint64_t offset, const void* data, std::uint64_t bytes) {
  if (temporary_) {
    temporary_->write_at(offset, data, bytes);
  } else {
    pending_.replace(offset, bytes, static_cast<const char*>(data), bytes);
  }
}

void AtomicFile::stage() {
  if (staged_) return;
  if (temporary_) temporary_->sync();
  staged_ = true;
}

void AtomicFile::replace() {
  if (replaced_) return;
  stage();
  if (temporary_) {
    temporary_->rename_to(target_);
  } else {
    stream_->write(pending_.data(), pending_.size());
  }
  replaced_ = true;
}

void AtomicFile::commit() {
  replace();
  if (temporary_) sync_directory(directory_of(target_));
}

}  // namespace loci::core
