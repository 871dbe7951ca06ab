#include "framework/core/stream_target.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>

#include "framework/core/file_error.h"

namespace loci::core {
namespace {

namespace fs = std::filesystem;

// The number of the descriptor that the path names in /proc.
std::optional<int> descriptor_at(const fs::path& path) {
  std::error_code error;
  const fs::path directory =
      fs::canonical(path.has_parent_path() ? path.parent_path() : ".", error);
  if (error || directory != fmt::format("/proc/{}/fd", ::getpid())) return std::nullopt;
  const std::string name = path.filename().string();
  int number = -1;
  const auto [end, code] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool is_number = code == std::errc() && end == name.data() + name.size();
  return is_number ? std::optional<int>(number) : std::nullopt;
}

// Follows links to such a path. A link in /proc itself holds no path that leads any further.
std::optional<int> descriptor_of(fs::path path) {
  constexpr int kMostLinks = 40;  // as the kernel
  for (int i = 0; i < kMostLinks; ++i) {
    if (const std::optional<int> number = descriptor_at(path)) return number;
    std::error_code error;
    const fs::path target = fs::read_symlink(path, error);
    if (error) return std::nullopt;
    path = path.parent_path() / target;
  }
  return std::nullopt;
}

}  // namespace

std::unique_ptr<OutputFile> open_stream_target(const std::string& path) {
  int opened = -1;
  struct stat status {};
  if (const std::optional<int> number = descriptor_of(path)) {
    // Opened anew, a regular file behind it would be written from its beginning.
    opened = ::fcntl(*number, F_DUPFD_CLOEXEC, 0);
  } else if (::stat(path.c_str(), &status) == 0 && S_ISCHR(status.st_mode)) {
    opened = ::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
  } else {
    return nullptr;
  }
  if (opened < 0) raise_system_error(path, "open", errno);
  return std::make_unique<OutputFile>(opened, path);
}

}  // namespace loci::core
