// Writing a file that is there whole or not at all.
#pragma once

#include <cstdint>
#include <string>

namespace loci::core {

// Writes into a temporary file in the same directory, which replaces the file of that name on
// commit(); without one it is removed, and an older file stays as it was. A symbolic link is
// followed; the replaced file's permissions are kept. All functions throw Error(kFailed) with the
// file and the system's reason.
class AtomicFile {
 public:
  // Refuses a name that is taken by anything but a regular file.
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, std::uint64_t bytes);
  // Brings all bytes to the disk; what may fail for want of space has failed then. No write() after
  // it.
  void stage();
  // Stages if need be, and replaces the file.
  void commit();

 private:
  std::string target_;
  std::string temporary_;
  int descriptor_ = -1;
  bool staged_ = false;
  bool committed_ = false;
};

}  // namespace loci::core
