// Lines that are sorted in runs; for both sides of a launch.
#pragma once

#include <cstdint>

namespace loci::cuda {

// A block sorts a run, a power of two of entries, and keeps the first of them. Lines of a tensor
// have elements `inner` apart; entries of a line lie side by side.
struct TopKLayout {
  std::int64_t lines;
  std::int64_t count;  // elements, or entries, of a line
  std::int64_t inner;
  std::int64_t run;
  std::int64_t runs;  // of a line
  std::int64_t kept;  // of a run
  std::int32_t is_largest;
};

// It says which entries of each line are taken.
struct TakenLayout {
  std::int64_t count;  // elements of a line of x
  std::int64_t inner;
  std::int64_t k;
  std::int64_t taken;    // of all lines
  std::int64_t entries;  // of a line
};

// The entries that a block's shared memory has room for.
inline constexpr std::int64_t kRunBytes = 16384;

}  // namespace loci::cuda
