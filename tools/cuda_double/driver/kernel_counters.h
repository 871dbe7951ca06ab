// Adds up by kernel what kernels did, as the interpreter counts it. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "tools/cuda_double/ptx/launch.h"

namespace loci::cuda_double {

class KernelCounters {
 public:
  // One launch.
  void add(const std::string& kernel, const Counters& counters);

  // A line of each kernel, most instructions first: launches, instructions of lanes, bytes that
  // lanes ask of global memory, sectors over as few as hold those bytes, and passes over requests
  // of shared memory.
  [[nodiscard]] std::string table() const;
  // Into the file, and says on stderr where that fails.
  void write(const std::string& path) const;

 private:
  struct Sum {
    std::uint64_t launches = 0;
    std::uint64_t instructions = 0;
    std::uint64_t bytes_read = 0;
    std::uint64_t bytes_written = 0;
    std::uint64_t sectors = 0;
    std::uint64_t shared_requests = 0;
    std::uint64_t shared_conflicts = 0;
  };

  mutable std::mutex mutex_;
  std::map<std::string, Sum> sums_;
};

}  // namespace loci::cuda_double
