// A temporary folder with copies of the test plugins, to be damaged at will.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "framework/plugin/elf_note.h"

namespace loci::test {

namespace fs = std::filesystem;

// Where the build puts them, beside the folder of the test's executable.
inline fs::path built_plugin(const std::string& name) {
  return fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "lib" / "loci" /
         "test_plugins" / ("loci-test_" + name + ".so");
}

inline std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const fs::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
  ::chmod(path.c_str(), 0644);
}

// Replaces one occurrence of `from`, in place of a text of the same length.
inline void patch_file(const fs::path& path, const std::string& from, const std::string& to) {
  std::string content = read_file(path);
  const std::size_t at = content.find(from);
  if (at == std::string::npos || from.size() != to.size()) throw std::runtime_error("cannot patch");
  write_file(path, content.replace(at, to.size(), to));
}

// Changes the manifest in the file, whose description makes room for what is added.
template <class Edit>
void edit_manifest(const fs::path& path, Edit&& edit) {
  const std::string before = plugin::read_manifest_note(path.string());
  nlohmann::json manifest = nlohmann::json::parse(before);
  manifest.erase("description");
  edit(manifest);
  std::string after = manifest.dump();
  if (after.size() > before.size()) throw std::runtime_error("the manifest has no room for that");
  after.resize(before.size(), ' ');
  patch_file(path, before, after);
}

class PluginFolder {
 public:
  PluginFolder() {
    std::string pattern = (fs::temp_directory_path() / "loci_plugins_XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = fs::canonical(pattern);
    ::chmod(path_.c_str(), 0755);
  }
  ~PluginFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  PluginFolder(const PluginFolder&) = delete;
  PluginFolder& operator=(const PluginFolder&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }

  // Copies the test plugin of that name, as `file` if one is given.
  fs::path add(const std::string& name, const std::string& file = {}) const {
    const fs::path copy = path_ / (file.empty() ? "loci-" + name + ".so" : file);
    write_file(copy, read_file(built_plugin(name)));
    return copy;
  }

 private:
  fs::path path_;
};

// Sets an environment variable while it lives.
class EnvironmentGuard {
 public:
  EnvironmentGuard(const char* name, const char* value) : name_(name) {
    ::setenv(name, value, /*replace=*/1);
  }
  ~EnvironmentGuard() { ::unsetenv(name_); }
  EnvironmentGuard(const EnvironmentGuard&) = delete;
  EnvironmentGuard& operator=(const EnvironmentGuard&) = delete;

 private:
  const char* name_;
};

}  // namespace loci::test
