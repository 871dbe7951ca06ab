// Files that take their name only once they are whole.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "framework/core/output_file.h"

namespace loci::core {

// A new file ".loci-<kernel>-<random>.tmp", never through a link. It is locked for as long as it is
// open, so that another process can tell whether its writer lives, whatever became of process ids
// and in whichever container; "kernel" says between which processes locks tell that. Making one
// removes those of this user that were abandoned in the directory, and of other kernels those that
// are older than a day by the clock of the file system.
//
// Functions throw Error(kFailed) with the file and the system's reason.
class TemporaryFile {
 public:
  // With the permissions that the process's mask leaves of `mode`. `target` is what it will become,
  // for messages.
  TemporaryFile(const std::string& directory, mode_t mode, const std::string& target);
  // Removes it unless it was renamed.
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  void set_mode(mode_t mode);
  void write(const void* data, std::uint64_t bytes) { file_.write(data, bytes); }
  void write_at(std::uint64_t offset, const void* data, std::uint64_t bytes) {
    file_.write_at(offset, data, bytes);
  }
  void sync() { file_.sync(); }
  // Replaces what has that name, in the same directory. That the name lasts is up to
  // sync_directory().
  void rename_to(const std::string& target);

 private:
  struct Opened {
    std::string path;
    int descriptor = -1;
    time_t made_at = 0;  // by the clock of the file system
  };
  static Opened open_new(const std::string& directory, mode_t mode, const std::string& target);
  TemporaryFile(const Opened& file, const std::string& target);

  std::string path_;
  time_t made_at_;
  OutputFile file_;
  bool renamed_ = false;
};

}  // namespace loci::core
