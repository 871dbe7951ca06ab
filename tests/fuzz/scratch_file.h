// The input of a fuzz target as a file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace loci::fuzz {

// A file in a directory of this process, in memory where the system has /dev/shm; both are gone
// when the process ends as it should.
class ScratchFile {
 public:
  // A name in the one directory, which this user alone may write. Throws std::runtime_error if
  // there can be none.
  explicit ScratchFile(std::string_view name);

  // Replaces the content. Throws std::runtime_error.
  void write(std::string_view content) const;
  [[nodiscard]] std::string read() const;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace loci::fuzz
