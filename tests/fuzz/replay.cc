// Runs a fuzz target over the files of a folder, in builds without libFuzzer.
//
// usage: fuzz_replay_TARGET FOLDER
//
// Files whose name begins with "valid" have to be accepted, and all others refused.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz_target.h"

namespace loci::fuzz {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Returns true if the target took the file as its name says.
bool replay(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  const bool valid = path.filename().string().rfind("valid", 0) == 0;
  const std::size_t before = accepted_count();
  std::printf("%s\n", path.c_str());
  std::fflush(stdout);  // so that the last line names what ended the process
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(content.data()), content.size());
  const bool accepted = accepted_count() > before;
  if (accepted == valid) return true;
  std::fprintf(stderr, "%s is %s, which its name denies\n", path.c_str(),
               accepted ? "accepted" : "refused");
  return false;
}

int run(const fs::path& folder) {
  const std::vector<fs::path> files = files_of(folder);
  const auto good = static_cast<std::size_t>(std::count_if(files.begin(), files.end(), replay));
  const std::size_t accepted = accepted_count();
  std::printf("%zu files, %zu accepted, %zu refused\n", files.size(), accepted,
              files.size() - accepted);
  return good == files.size() && accepted > 0 && accepted < files.size() ? 0 : 1;
}

}  // namespace
}  // namespace loci::fuzz

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  return loci::fuzz::run(argv[1]);
}
