// How many threads work together on rows and columns, as the host chooses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <loci/plugin/dtype_visit.hpp>

#include "kernels/launch/block_threads.h"

namespace loci::cuda {

inline constexpr std::int64_t kTeamWarp = 32;
inline constexpr std::int64_t kTeamBlock = kBlockThreads;

// The least power of two that is not below.
inline std::int64_t power_from(std::int64_t least) {
  std::int64_t power = 1;
  while (power < least) power *= 2;
  return power;
}

inline std::int64_t quotient_up(std::int64_t dividend, std::int64_t divisor) {
  return (dividend + divisor - 1) / divisor;
}

// The elements in 16 bytes.
inline std::int64_t vector_lanes(loci_dtype dtype) {
  return 16 / std::max<std::int64_t>(static_cast<std::int64_t>(sdk::dtype_bytes(dtype)), 1);
}

// Returns the lanes of a warp for a row of `count` elements: as many as it has vectors of 16 bytes,
// or elements where its runs are not whole vectors.
inline std::int64_t lanes_of_row(std::int64_t count, std::int64_t run, loci_dtype dtype) {
  const std::int64_t lanes = vector_lanes(dtype);
  return std::min(power_from(run % lanes == 0 ? count / lanes : count), kTeamWarp);
}

}  // namespace loci::cuda
