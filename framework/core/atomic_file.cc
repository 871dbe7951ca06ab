#include "framework/core/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "framework/core/file_error.h"

namespace loci::core {
namespace {

// The kernel writes at most 2 GiB at a time.
constexpr std::uint64_t kLargestWrite = std::uint64_t{1} << 30;

[[noreturn]] void raise_system(const std::string& path, std::string_view action, int error) {
  raise_file_error(ErrorCode::kFailed, path, action, "{}", std::system_category().message(error));
}

std::string follow_link(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  const std::filesystem::path target = std::filesystem::weakly_canonical(path, error);
  if (error) raise_system(path, "symbolic link", error.value());
  return target.string();
}

std::string directory_of(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

// Not made of the target's name, which may be as long as a name can be.
std::string temporary_name(const std::string& directory) {
  static std::atomic<std::uint32_t> next{0};
  return fmt::format("{}/.loci-{}-{}.tmp", directory, ::getpid(), next.fetch_add(1));
}

// Of the file that will be replaced, or 0.
mode_t mode_of_target(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return 0;
  if (S_ISREG(status.st_mode)) return status.st_mode & 07777;
  raise_file_error(ErrorCode::kFailed, path, "write",
                   "is {}, not a regular file; give another name",
                   S_ISDIR(status.st_mode) ? "a directory" : "a pipe, socket or device");
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path) : target_(follow_link(path)) {
  const mode_t mode = mode_of_target(target_);
  do {
    temporary_ = temporary_name(directory_of(target_));
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) raise_system(path, "create", errno);
  if (mode != 0 && ::fchmod(descriptor_, mode) != 0) {
    const int error = errno;
    ::close(descriptor_);
    ::unlink(temporary_.c_str());
    raise_system(path, "permissions", error);
  }
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!committed_) ::unlink(temporary_.c_str());
}

void AtomicFile::write(const void* data, std::uint64_t bytes) {
  const auto* position = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t count = ::write(descriptor_, position, std::min(bytes, kLargestWrite));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) raise_system(target_, "write", errno);
    position += count;
    bytes -= static_cast<std::uint64_t>(count);
  }
}

void AtomicFile::stage() {
  if (staged_) return;
  if (::fsync(descriptor_) != 0) raise_system(target_, "write", errno);
  const int result = ::close(descriptor_);
  descriptor_ = -1;
  if (result != 0) raise_system(target_, "write", errno);
  staged_ = true;
}

void AtomicFile::commit() {
  stage();
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0)
    raise_system(target_, "replace", errno);
  committed_ = true;
  // The file is whole; that its name survives a power failure too is best effort, because not every
  // file system can do it.
  const int directory = ::open(directory_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;
  (void)::fsync(directory);
  ::close(directory);
}

}  // namespace loci::core
