#include "tools/loci/fetch_spec.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

#include "tools/loci/failure.h"

namespace loci::runner {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_fetch(const std::string& argument, const std::string& reason) {
  throw Failure(ExitCode::kUsage,
                fmt::format("[--fetch] '{}': {}; write NAME or NAME=@FILE.npy", argument, reason));
}

void check_writable(const std::string& path) {
  const fs::path parent = fs::path(path).parent_path();
  const std::string directory = parent.empty() ? "." : parent.string();
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) {
    throw Failure(
        ExitCode::kFailed,
        fmt::format("[--fetch] cannot write '{}': it is a directory; name a file in it", path));
  }
  // The writer puts the file together beside its final name, so the directory is what counts.
  if (::access(directory.c_str(), W_OK | X_OK) != 0) {
    throw Failure(ExitCode::kFailed,
                  fmt::format("[--fetch] cannot write '{}': directory '{}': {}; choose another",
                              path, directory, std::strerror(errno)));
  }
}

}  // namespace

FetchSpec parse_fetch(const std::string& argument) {
  const std::size_t equals = argument.find('=');
  FetchSpec spec{argument.substr(0, equals), {}};
  if (spec.name.empty()) refuse_fetch(argument, "the name is missing");
  if (equals == std::string::npos) return spec;
  if (argument.compare(equals, 2, "=@") != 0 || argument.size() == equals + 2) {
    refuse_fetch(argument, "after '=' stands '@' and a file");
  }
  spec.path = argument.substr(equals + 2);
  return spec;
}

void check_outputs(const std::vector<FetchSpec>& fetches) {
  std::set<std::string> seen;
  for (const FetchSpec& fetch : fetches) {
    if (fetch.path.empty()) continue;
    if (!seen.insert(fs::absolute(fetch.path).lexically_normal().string()).second) {
      throw Failure(ExitCode::kUsage,
                    fmt::format("[--fetch] two results are to be written to '{}'; give each a "
                                "file of its own",
                                fetch.path));
    }
  }
  for (const FetchSpec& fetch : fetches) {
    if (!fetch.path.empty()) check_writable(fetch.path);
  }
}

void refuse_outputs(const std::vector<FetchSpec>& fetches, const char* reason) {
  for (const FetchSpec& fetch : fetches) {
    if (fetch.path.empty()) continue;
    throw Failure(ExitCode::kUsage, fmt::format("[--fetch] '{}=@{}': {}; write {}", fetch.name,
                                                fetch.path, reason, fetch.name));
  }
}

}  // namespace loci::runner
