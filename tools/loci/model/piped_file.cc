#include "tools/loci/model/piped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <map>
#include <string_view>
#include <system_error>
#include <vector>

#include "tools/loci/failure.h"
#include "tools/loci/shown.h"

namespace loci::runner {
namespace {

constexpr std::string_view kStandardInput = "-";
constexpr std::string_view kArchiveBegins = "PK";
constexpr std::size_t kPieceOfPipe = std::size_t{1} << 20;

[[noreturn]] void refuse_piped(const std::string& path, const char* action, int error) {
  throw Failure(ExitCode::kBadInput, fmt::format("[--feed] {}: {}: {}", shown(path), action,
                                                 std::system_category().message(error)));
}

// Closes what it has opened.
class PipeInput {
 public:
  explicit PipeInput(const std::string& path)
      : path_(path),
        is_own_(path != kStandardInput),
        descriptor_(is_own_ ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)
                            : STDIN_FILENO) {
    if (descriptor_ < 0) refuse_piped(path_, "open", errno);
    if (::isatty(descriptor_) == 1) {
      throw Failure(ExitCode::kUsage,
                    fmt::format("[--feed] {} is a terminal, where no array comes from; give a "
                                "file, or pipe one in",
                                shown(path_)));
    }
  }
  ~PipeInput() {
    if (is_own_ && descriptor_ >= 0) ::close(descriptor_);
  }
  PipeInput(const PipeInput&) = delete;
  PipeInput& operator=(const PipeInput&) = delete;

  // 0 at its end.
  std::size_t read(void* into, std::size_t bytes) {
    for (;;) {
      const ssize_t count = ::read(descriptor_, into, bytes);
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) refuse_piped(path_, "read", errno);
    }
  }

 private:
  const std::string& path_;
  const bool is_own_;
  const int descriptor_;
};

void write_all(int descriptor, const std::string& path, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse_piped(path, "keeping what it holds", errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

// The copy's descriptor stays open until the process ends.
PipedFile copy_of(const std::string& path) {
  PipeInput input(path);
  const int copy = ::memfd_create("loci-feed", MFD_CLOEXEC);
  if (copy < 0) refuse_piped(path, "keeping what it holds", errno);
  PipedFile file{fmt::format("/proc/self/fd/{}", copy)};
  std::vector<char> piece(kPieceOfPipe);
  std::string begins;
  while (const std::size_t count = input.read(piece.data(), piece.size())) {
    const std::string_view bytes(piece.data(), count);
    if (begins.size() < kArchiveBegins.size()) begins += bytes.substr(0, kArchiveBegins.size());
    write_all(copy, path, bytes);
  }
  file.is_archive = begins.substr(0, kArchiveBegins.size()) == kArchiveBegins;
  return file;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
    text.replace(at, what.size(), by);
    at += by.size();
  }
  return text;
}

}  // namespace

bool is_piped(const std::string& path) {
  if (path == kStandardInput) return true;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return false;
  return S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode) || S_ISSOCK(status.st_mode);
}

const PipedFile& read_piped(const std::string& path) {
  static std::map<std::string, PipedFile> files;
  // Both are the same one, which can be read once.
  const std::string name = path == "/dev/stdin" ? std::string(kStandardInput) : path;
  const auto found = files.find(name);
  return found != files.end() ? found->second : files.emplace(name, copy_of(name)).first->second;
}

Error naming(const Error& error, const std::string& path, const PipedFile& file) {
  return {error.code(), replaced(error.what(), file.path, path),
          replaced(error.details(), file.path, path)};
}

}  // namespace loci::runner
