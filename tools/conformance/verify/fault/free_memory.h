// Leaks of a device's memory, by what mem_info says is free.
#pragma once

#include <cstdint>

#include "tools/conformance/verify/open_device.h"

namespace loci::verify {

// 0 where the device does not count.
std::uint64_t free_memory_of(const OpenDevice& device);

// Compares the memory that is free before and behind something that is done again and again.
class FreeMemory {
 public:
  void note(std::uint64_t before, std::uint64_t behind);
  // The bytes by which it fell in all, if it did so at least every second time and never rose;
  // else 0. A driver may take memory for several allocations at once, and other processes take and
  // give some.
  [[nodiscard]] std::uint64_t lost() const;
  [[nodiscard]] int times() const { return times_; }

 private:
  int times_ = 0;
  int falls_ = 0;
  bool rose_ = false;
  std::uint64_t lost_ = 0;
};

}  // namespace loci::verify
