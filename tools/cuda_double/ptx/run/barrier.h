// A barrier of a block, one of 16.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tools/cuda_double/ptx/instruction.h"

namespace loci::cuda_double {

inline constexpr std::uint32_t kBarriers = 16;

struct Split;

// Lanes that wait.
struct BarrierWaiter {
  Warp* warp = nullptr;
  Split* split = nullptr;
  const Instruction* instruction = nullptr;
};

struct Barrier {
  std::uint32_t arrived = 0;   // threads
  std::uint32_t expected = 0;  // threads; 0: all that live
  std::uint32_t votes = 0;     // threads whose predicate holds
  std::uint32_t voters = 0;
  std::vector<BarrierWaiter> waiters;
  std::vector<std::uint32_t> arrived_clocks;  // of those that do not wait, for the check of races
};

}  // namespace loci::cuda_double
