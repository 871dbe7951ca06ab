// The identity and the content of a file tell if it is still what it was.
#pragma once

#include <optional>
#include <string>

namespace loci::runner {

struct FileIdentity {
  // Device, inode, size, and the times of the last write and the last change, to the nanosecond.
  std::string text;
  // True if every later write shows in the times: the clock of a file system goes in steps.
  bool settled = false;
};

struct FileContent {
  FileIdentity identity;
  std::string digest;  // of all bytes
};

// Both give nothing of what is not a regular file that can be read, or changes while it is read.
std::optional<FileIdentity> identify(const std::string& path);
std::optional<FileContent> read_content(const std::string& path);

}  // namespace loci::runner
