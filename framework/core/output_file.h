// Writing through a descriptor, and bringing what was written to the disk: the one way in which all
// files are written.
#pragma once

#include <cstdint>
#include <string>

namespace loci::core {

// Functions throw Error(kFailed) with the file and the system's reason.
class OutputFile {
 public:
  // Takes the descriptor. `name` is for messages.
  OutputFile(int descriptor, std::string name);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] const std::string& name() const { return name_; }

  void write(const void* data, std::uint64_t bytes);
  // Over bytes that have been written. What is written next still comes behind all of them.
  void write_at(std::uint64_t offset, const void* data, std::uint64_t bytes);
  // Returns once all bytes are on the disk: what may fail for want of space has failed then. The
  // descriptor stays open.
  void sync();

 private:
  int descriptor_;
  std::string name_;
};

// Brings the names in a directory to the disk, where the file system can do that.
void sync_directory(const std::string& directory);
// Brings the content of a file, which something else may have written, to the disk.
void sync_file(const std::string& path);

// "." for a name without one.
std::string directory_of(const std::string& path);

}  // namespace loci::core
