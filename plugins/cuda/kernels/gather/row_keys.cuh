// Keys of rows that ids name, sorted: those of one row are neighbours, in the order of the ids.
#pragma once

#include <cstdint>

namespace loci::cuda {

// A row above, the position among the ids below: no two are equal.
__device__ inline std::int64_t row_of_key(std::uint64_t key) {
  return static_cast<std::int64_t>(key >> 32);
}
// The row in the key of an id that names none; it sorts behind all others.
inline constexpr std::int64_t kRowOfNone = 0xFFFFFFFF;
__device__ inline std::int64_t position_of_key(std::uint64_t key) {
  return static_cast<std::int64_t>(key & 0xFFFFFFFFU);
}

// How many of a sorted run are below the key.
__device__ inline std::int64_t rank_in(const std::uint64_t* run, std::int64_t length,
                                       std::uint64_t key) {
  std::int64_t low = 0;
  while (length > 0) {
    const std::int64_t half = length / 2;
    if (run[low + half] < key) {
      low += half + 1;
      length -= half + 1;
    } else {
      length = half;
    }
  }
  return low;
}

}  // namespace loci::cuda
