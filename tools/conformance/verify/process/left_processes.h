// Processes that one under test leaves behind: they would run on, and keep open what they share
// with this one.
#pragma once

#include <sys/types.h>

#include <vector>

namespace loci::verify {

// While it lives, this process is the parent of whatever its descendants leave behind.
class LeftProcesses {
 public:
  LeftProcesses();
  ~LeftProcesses();
  LeftProcesses(const LeftProcesses&) = delete;
  LeftProcesses& operator=(const LeftProcesses&) = delete;

  // Kills the children of this process that it did not have before, and theirs. Gives up on what
  // cannot be killed.
  void end();

 private:
  [[nodiscard]] std::vector<pid_t> find() const;

  int was_parent_of_orphans_ = 0;
  std::vector<pid_t> before_;
};

}  // namespace loci::verify
