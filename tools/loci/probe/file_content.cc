#include "tools/loci/probe/file_content.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <vector>

#include "tools/loci/probe/environment_digest.h"

namespace loci::runner {
namespace {

// The coarsest steps of a file system's clock, and some.
constexpr std::chrono::seconds kClockStep{3};
constexpr std::size_t kPiece = std::size_t{1} << 20;

bool is_settled(const struct stat& status) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return now - std::chrono::seconds(status.st_ctim.tv_sec) > kClockStep;
}

std::optional<FileIdentity> identity_of(const struct stat& status) {
  if (!S_ISREG(status.st_mode)) return std::nullopt;
  return FileIdentity{fmt::format("{}:{} {} {}.{:09} {}.{:09}", status.st_dev, status.st_ino,
                                  status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
                                  status.st_ctim.tv_sec, status.st_ctim.tv_nsec),
                      is_settled(status)};
}

std::optional<std::string> digest_of(int descriptor) {
  std::vector<char> piece(kPiece);
  std::uint64_t digest = kNothingBefore;
  for (;;) {
    const ssize_t count = ::read(descriptor, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::nullopt;
    if (count == 0) return fmt::format("{:016x}", digest);
    digest = fnv1a({piece.data(), static_cast<std::size_t>(count)}, digest);
  }
}

std::optional<FileContent> content_of(int descriptor) {
  struct stat before {};
  struct stat after {};
  if (::fstat(descriptor, &before) != 0) return std::nullopt;
  const std::optional<FileIdentity> identity = identity_of(before);
  if (!identity) return std::nullopt;
  const std::optional<std::string> digest = digest_of(descriptor);
  if (!digest || ::fstat(descriptor, &after) != 0) return std::nullopt;
  if (identity_of(after)->text != identity->text) return std::nullopt;
  return FileContent{*identity, *digest};
}

}  // namespace

std::optional<FileIdentity> identify(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? identity_of(status) : std::nullopt;
}

std::optional<FileContent> read_content(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return std::nullopt;
  std::optional<FileContent> content = content_of(descriptor);
  ::close(descriptor);
  return content;
}

}  // namespace loci::runner
