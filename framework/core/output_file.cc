#include "framework/core/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "framework/core/file_error.h"

namespace loci::core {
namespace {

// The kernel writes at most 2 GiB at a time.
constexpr std::uint64_t kLargestWrite = std::uint64_t{1} << 30;

// 0 or errno.
int synced(int descriptor) {
  int result = 0;
  do {
    result = ::fsync(descriptor);
  } while (result != 0 && errno == EINTR);
  return result == 0 ? 0 : errno;
}

// 0 or errno. After EINTR the descriptor is closed, too.
int closed(int descriptor) { return ::close(descriptor) == 0 || errno == EINTR ? 0 : errno; }

void sync_path(const std::string& path, int flags) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
  if (descriptor < 0) {
    // One may write into a directory that one may not read.
    if (errno == EACCES) return;
    raise_system_error(path, "open", errno);
  }
  const int error = synced(descriptor);
  (void)closed(descriptor);
  const bool cannot = error == EINVAL || error == ENOTSUP;
  if (error != 0 && !cannot) raise_system_error(path, "write", error);
}

}  // namespace

OutputFile::OutputFile(int descriptor, std::string name)
    : descriptor_(descriptor), name_(std::move(name)) {}

OutputFile::~OutputFile() { (void)closed(descriptor_); }

void OutputFile::write(const void* data, std::uint64_t bytes) {
  const auto* position = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t count = ::write(descriptor_, position, std::min(bytes, kLargestWrite));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) raise_system_error(name_, "write", count < 0 ? errno : EIO);
    position += count;
    bytes -= static_cast<std::uint64_t>(count);
  }
}

void OutputFile::write_at(std::uint64_t offset, const void* data, std::uint64_t bytes) {
  const auto* position = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t count =
        ::pwrite(descriptor_, position, std::min(bytes, kLargestWrite), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) raise_system_error(name_, "write", count < 0 ? errno : EIO);
    position += count;
    offset += static_cast<std::uint64_t>(count);
    bytes -= static_cast<std::uint64_t>(count);
  }
}

void OutputFile::sync() {
  if (const int error = synced(descriptor_)) raise_system_error(name_, "write", error);
  // Network file systems tell some failures only when a descriptor is closed. This one stays,
  // because a lock may hang on it.
  const int copy = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) raise_system_error(name_, "write", errno);
  if (const int error = closed(copy)) raise_system_error(name_, "write", error);
}

void sync_directory(const std::string& directory) { sync_path(directory, O_DIRECTORY); }

void sync_file(const std::string& path) { sync_path(path, 0); }

std::string directory_of(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

}  // namespace loci::core
