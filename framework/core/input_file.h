// Reading a file by position.
#pragma once

#include <cstdint>
#include <string>

namespace loci::core {

// An open regular file. read() may be called from several threads.
class InputFile {
 public:
  // Throws Error: kNotFound if it is not there, kDataLoss if it is a directory, a pipe or a device,
  // kFailed if it cannot be opened.
  explicit InputFile(std::string path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  // Bytes, when it was opened.
  [[nodiscard]] std::uint64_t size() const { return size_; }

  // Returns true if its path still leads to this file, and not to one that replaced it.
  [[nodiscard]] bool has_its_name() const;

  // Reads exactly `bytes` bytes from `offset`. `field` is what they are, for the message. Throws
  // Error: kDataLoss if the file ends before, kFailed if reading fails.
  void read(std::uint64_t offset, void* into, std::uint64_t bytes, const char* field) const;
  [[nodiscard]] std::string read_text(std::uint64_t offset, std::uint64_t bytes,
                                      const char* field) const;

 private:
  std::string path_;
  int descriptor_;
  std::uint64_t size_ = 0;
};

}  // namespace loci::core
