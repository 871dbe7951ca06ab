// Sessions whose classic report has given figures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/profiler/profile.h"

namespace loci::classic {

// A copy in a row, of which every call makes one. Times are in nanoseconds.
struct FiguredCopy {
  std::string source;
  std::string target;
  bool waited;
  bool within_compute;
  std::uint64_t cpu_ns;
  std::uint64_t gpu_ns;
  std::uint64_t min_ns;
  std::uint64_t max_ns;
};

// A row with its figures of state All: times of a call are those of the host and the device.
struct FiguredRow {
  std::string name;
  std::uint64_t calls;
  std::uint64_t cpu_ns;
  std::uint64_t gpu_ns;
  std::uint64_t min_ns;
  std::uint64_t max_ns;
  std::uint64_t compute_ns = 0;  // of its phase; 0: it is no operator
  std::vector<FiguredCopy> copies = {};
};

// The rows of the main thread, and those of another one that began after it. The first call of a
// row takes the least time, the second the most, the others share the rest.
profiler::Profile figured_stream(const std::vector<FiguredRow>& main,
                                 const std::vector<FiguredRow>& other);

}  // namespace loci::classic
