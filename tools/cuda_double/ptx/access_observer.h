// Tells what a launch did to global memory, for checks between launches.
#pragma once

#include <cstdint>
#include <string_view>

namespace loci::cuda_double {

struct AccessedRange {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  bool written = false;  // else only read; a range that is both is reported as both
  bool atomic = false;   // all its accesses were atomic or volatile
  // Where one of the accesses stands, "file.cu:12" or "PTX line 56".
  std::string_view source;
};

// Called by launch() in its own thread, after the last block and before it returns, also when it
// throws; ranges are maximal, of one allocation, and in the order of addresses, reads first. Not
// called without any access.
class AccessObserver {
 public:
  virtual ~AccessObserver() = default;
  virtual void accessed(const AccessedRange& range) = 0;
};

}  // namespace loci::cuda_double
