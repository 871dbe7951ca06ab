#include "tools/loci/model/fetch_spec.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include "tools/loci/failure.h"

namespace loci::runner {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_fetch(const std::string& argument, const std::string& reason) {
  throw Failure(ExitCode::kUsage, fmt::format("[--fetch] '{}': {}; write NAME, NAME=@FILE.npy or "
                                              "NAME=@FILE.npz[:ARRAY]",
                                              argument, reason));
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
  FetchSpec spec{argument.substr(0, equals)};
  if (spec.name.empty()) refuse_fetch(argument, "the name is missing");
  if (equals == std::string::npos) return spec;
  if (argument.compare(equals, 2, "=@") != 0 || argument.size() == equals + 2) {
    refuse_fetch(argument, "after '=' stands '@' and a file");
  }
  spec.file = parse_array_file(argument.substr(equals + 2));
  if (argument.back() == ':' && spec.file.is_archive)
    refuse_fetch(argument, "the array is missing");
  if (spec.file.is_archive && spec.file.array.empty()) spec.file.array = spec.name;
  return spec;
}

void check_outputs(const std::vector<FetchSpec>& fetches) {
  // The arrays taken of each file; an archive holds several, any other file one without a name.
  std::map<std::string, std::set<std::string>> taken;
  for (const FetchSpec& fetch : fetches) {
    if (fetch.is_printed()) continue;
    const std::string path = fs::absolute(fetch.file.path).lexically_normal().string();
    if (!taken[path].insert(fetch.file.array).second) {
      throw Failure(ExitCode::kUsage,
                    fmt::format("[--fetch] two results are to be written to '{}'; give each {} of "
                                "its own",
                                fetch.file.text(), fetch.file.is_archive ? "an array" : "a file"));
    }
  }
  for (const FetchSpec& fetch : fetches) {
    if (!fetch.is_printed()) check_writable(fetch.file.path);
  }
}

void refuse_outputs(const std::vector<FetchSpec>& fetches, const char* reason) {
  for (const FetchSpec& fetch : fetches) {
    if (fetch.is_printed()) continue;
    throw Failure(ExitCode::kUsage, fmt::format("[--fetch] '{}=@{}': {}; write {}", fetch.name,
                                                fetch.file.text(), reason, fetch.name));
  }
}

}  // namespace loci::runner
