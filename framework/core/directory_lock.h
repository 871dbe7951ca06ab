// Who changes files of a directory that belong together.
#pragma once

#include <chrono>
#include <string>

namespace loci::core {

// One at a time, of all threads and processes that take this lock; a process that dies gives it
// back. Where the file system has no locks that hold for all its hosts, as network file systems, it
// is not held, and its user has to do without.
class DirectoryLock {
 public:
  // Throws Error(kFailed) if the directory cannot be opened, or another has had the lock for
  // `limit`.
  explicit DirectoryLock(const std::string& directory,
                         std::chrono::milliseconds limit = std::chrono::minutes(1));
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

  [[nodiscard]] bool is_held() const { return is_held_; }

 private:
  int descriptor_ = -1;
  bool is_held_ = false;
};

}  // namespace loci::core
