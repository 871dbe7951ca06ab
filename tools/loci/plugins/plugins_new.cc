#include "tools/loci/plugins/plugins_new.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <system_error>

#include "tools/loci/output.h"
#include "tools/loci/plugins/plugin_template.h"

namespace loci::runner {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const std::string& reason) {
  throw Failure(ExitCode::kFailed,
                fmt::format("[--dir] cannot write '{}': {}", path.string(), reason));
}

void make_empty(const fs::path& directory) {
  std::error_code error;
  if (fs::exists(directory, error) && (!fs::is_directory(directory) || !fs::is_empty(directory))) {
    throw Failure(ExitCode::kUsage,
                  fmt::format("[--dir] '{}' is there and not empty; name another directory",
                              directory.string()));
  }
  fs::create_directories(directory, error);
  if (error) fail(directory, error.message());
}

void write(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (!file) fail(path, "the file system refuses it");
}

}  // namespace

ExitCode plugins_new(const std::string& name, const std::string& kind, const std::string& directory,
                     Work work) {
  const auto files = plugin_template(name, kind, work);
  make_empty(directory);
  std::string report;
  for (const auto& [file, text] : files) {
    const fs::path path = fs::path(directory) / file;
    write(path, text);
    report += fmt::format("wrote {}\n", path.string());
  }
  print(report + fmt::format("build it with: cmake -S {0} -B {0}/build && cmake --build {0}/build\n"
                             "test it with: ctest --test-dir {0}/build\n",
                             directory));
  return ExitCode::kOk;
}

}  // namespace loci::runner
