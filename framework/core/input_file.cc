#include "framework/core/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "framework/core/environment.h"
#include "framework/core/file_error.h"

namespace loci::core {
namespace {

// The kernel reads at most 2 GiB at a time.
constexpr std::uint64_t kLargestRead = std::uint64_t{1} << 30;

std::string error_text(int error) { return std::system_category().message(error); }

int open_for_reading(const std::string& path) {
  check_environment();  // for all that an application may begin with by reading a file
  // Opening a pipe would wait for a writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor >= 0) return descriptor;
  const int error = errno;
  if (error == ENOENT || error == ENOTDIR) {
    raise_file_error(ErrorCode::kNotFound, path, "open", "there is no such file; check the path");
  }
  raise_file_error(ErrorCode::kFailed, path, "open", "{}", error_text(error));
}

}  // namespace

InputFile::InputFile(std::string path)
    : path_(std::move(path)), descriptor_(open_for_reading(path_)) {
  struct stat status {};
  const int error = ::fstat(descriptor_, &status) == 0 ? 0 : errno;
  if (error != 0 || !S_ISREG(status.st_mode)) {
    ::close(descriptor_);
    if (error != 0) raise_file_error(ErrorCode::kFailed, path_, "status", "{}", error_text(error));
    refuse(path_, "open", "is {}, not a regular file",
           S_ISDIR(status.st_mode) ? "a directory" : "a pipe, socket or device");
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

InputFile::~InputFile() { ::close(descriptor_); }

bool InputFile::has_its_name() const {
  struct stat named {};
  struct stat opened {};
  if (::stat(path_.c_str(), &named) != 0 || ::fstat(descriptor_, &opened) != 0) return false;
  return named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

void InputFile::read(std::uint64_t offset, void* into, std::uint64_t bytes,
                     const char* field) const {
  auto* position = static_cast<char*>(into);
  while (bytes > 0) {
    const ssize_t count =
        ::pread(descriptor_, position, std::min(bytes, kLargestRead), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) raise_file_error(ErrorCode::kFailed, path_, field, "{}", error_text(errno));
    if (count == 0) {
      refuse(path_, field, "the file ends at byte {}, with {} more to read; it is truncated",
             offset, bytes);
    }
    position += count;
    offset += static_cast<std::uint64_t>(count);
    bytes -= static_cast<std::uint64_t>(count);
  }
}

std::string InputFile::read_text(std::uint64_t offset, std::uint64_t bytes,
                                 const char* field) const {
  std::string text(bytes, '\0');
  read(offset, text.data(), bytes, field);
  return text;
}

}  // namespace loci::core
