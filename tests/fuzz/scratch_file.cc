#include "tests/fuzz/scratch_file.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

namespace loci::fuzz {
namespace {

namespace fs = std::filesystem;

class Directory {
 public:
  Directory() {
    const fs::path memory = "/dev/shm";
    std::error_code absent;
    const fs::path parent = fs::is_directory(memory, absent) ? memory : fs::temp_directory_path();
    std::string pattern = (parent / "loci-fuzz-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
    path_ = pattern;
  }
  ~Directory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

const fs::path& directory() {
  static const Directory made;
  return made.path();
}

}  // namespace

ScratchFile::ScratchFile(std::string_view name) : path_((directory() / name).string()) {}

void ScratchFile::write(std::string_view content) const {
  std::ofstream file(path_, std::ios::binary | std::ios::trunc);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path_);
}

std::string ScratchFile::read() const {
  std::ifstream file(path_, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace loci::fuzz
