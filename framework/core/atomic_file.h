// Writing a file that is there whole or not at all.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "framework/core/temporary_file.h"

namespace loci::core {

// The treatment of a symbolic link where the file is to be.
enum class Links {
  kFollow,   // for names that the user gave
  kReplace,  // for all others
};

// Writes into a temporary file in the same directory, which replaces the file of that name on
// commit(); without one it is removed, and an older file stays as it was. The replaced file's
// permissions are kept. A stream (see stream_target.h) that a user names gets all bytes at
// replace(). All functions throw Error(kFailed) with the file and the system's reason.
class AtomicFile {
 public:
  // Refuses a name that is taken by anything but a regular file, and a link that another user made
  // in a directory such as /tmp, as the kernel does.
  explicit AtomicFile(const std::string& path, Links links = Links::kFollow);

  void write(const void* data, std::uint64_t bytes);
  // Writes at an offset, as OutputFile::write_at() does.
  void write_at(std::uint64_t offset, const void* data, std::uint64_t bytes);
  // Brings all bytes to the disk; what may fail for want of space has failed then. No write() after
  // it.
  void stage();
  // Stages if need be, and replaces the file.
  void replace();
  // Replaces if need be, and brings the name to the disk. The new file is there even if that fails.
  void commit();

 private:
  std::string target_;
  std::optional<TemporaryFile> temporary_;  // if it is no stream
  std::unique_ptr<OutputFile> stream_;
  std::string pending_;  // for the stream
  bool staged_ = false;
  bool replaced_ = false;
};

}  // namespace loci::core
