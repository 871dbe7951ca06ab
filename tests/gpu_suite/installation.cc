#include "tests/gpu_suite/installation.h"

#include <unistd.h>

#include <cstdlib>
#include <sstream>

namespace loci::gpu_suite {

namespace fs = std::filesystem;

Installation Installation::of_this_program() {
  return Installation(fs::read_symlink("/proc/self/exe").parent_path().parent_path());
}

std::string Installation::program(const std::string& name) const { return root_ / "bin" / name; }

std::string Installation::plugins() const { return root_ / "lib/loci/plugins"; }

std::string Installation::plugin(const std::string& name) const {
  return fs::path(plugins()) / ("loci-" + name + ".so");
}

std::string Installation::double_of(const std::string& library) const {
  return root_ / "lib/loci/cuda_double" / library;
}

std::string Installation::data(const std::string& name) const {
  return root_ / "share/loci/gpu-suite" / name;
}

std::string find_program(const std::string& name, const std::vector<std::string>& more) {
  std::vector<std::string> folders;
  const char* path = std::getenv("PATH");
  std::istringstream listed(path == nullptr ? "" : path);
  for (std::string folder; std::getline(listed, folder, ':');) folders.push_back(folder);
  folders.insert(folders.end(), more.begin(), more.end());
  for (const std::string& folder : folders) {
    // An empty one means the working directory, out of which nothing is run.
    const std::string file = fs::path(folder) / name;
    if (!folder.empty() && ::access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

}  // namespace loci::gpu_suite
