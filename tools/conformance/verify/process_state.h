// Records what a process holds of the system: for finding what a plugin leaves behind.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

namespace loci::verify {

struct ProcessState {
  std::size_t threads = 0;
  std::size_t descriptors = 0;
  // Child processes that live, or ended and were not waited for. Where adopt_orphans() was called,
  // those of children that ended are among them.
  std::size_t children = 0;

  static ProcessState now();
  // Waits up to two seconds until there is no more than in `before`, since threads take a moment to
  // end. What is still there, "2 threads and 1 file descriptor"; empty if nothing is.
  static std::string wait_for(const ProcessState& before);
};

// Those that live, or ended and were not waited for.
std::vector<pid_t> child_processes();

// From now on this process is the parent of whatever its descendants leave behind.
void adopt_orphans();

// Bytes of the C heap in use; 0 where the allocator does not count, as under a sanitizer.
std::size_t heap_bytes();

}  // namespace loci::verify
