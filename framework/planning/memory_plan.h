// Offsets for the intermediate values of a plan, by liveness.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace loci::planning {

// A value that needs `bytes` of an arena from instruction `first` to instruction `last`, both
// included.
struct Interval {
  std::uint64_t bytes = 0;
  std::int32_t first = 0;
  std::int32_t last = 0;
};

struct MemoryPlan {
  std::vector<std::uint64_t> offsets;  // of each interval
  std::uint64_t bytes = 0;             // of the arena
};

// Alignment of every offset.
inline constexpr std::uint64_t kArenaAlignment = 64;

// Up to here a plan may take time that grows with the square of the intervals.
inline constexpr std::size_t kFewIntervals = 2048;

// A few: largest first, each at the lowest offset where it meets no interval that is alive at the
// same time (Pisarchyk and Lee, "Efficient memory management for deep neural net inference", 2020:
// greedy by size). Many: in the order of time, from either end, each in the smallest gap that holds
// it, whichever end needs less; n log n. With `share` off every interval gets memory of its own.
MemoryPlan plan_memory(const std::vector<Interval>& intervals, bool share);
// The bytes of what is alive at one time at most: no plan takes less.
std::uint64_t largest_live_bytes(const std::vector<Interval>& intervals);
// Greedy by size for buffers whose order is not that of numbers: by the size of each, and whether
// two of them may be alive at the same time.
using Meets = std::function<bool(std::size_t, std::size_t)>;
MemoryPlan plan_memory(const std::vector<std::uint64_t>& bytes, const Meets& meet);

}  // namespace loci::planning
