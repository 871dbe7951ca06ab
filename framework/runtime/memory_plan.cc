#include "framework/runtime/memory_plan.h"

#include <algorithm>
#include <numeric>

namespace loci::runtime {
namespace {

std::uint64_t align(std::uint64_t bytes) {
  return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

struct Placed {
  std::uint64_t begin;
  std::uint64_t end;
};

// The lowest gap of `bytes` between sorted ranges.
std::uint64_t first_gap(const std::vector<Placed>& busy, std::uint64_t bytes) {
  std::uint64_t offset = 0;
  for (const Placed& range : busy) {
    if (range.begin >= offset + bytes) break;
    offset = std::max(offset, range.end);
  }
  return offset;
}

std::vector<std::size_t> by_size(const std::vector<Interval>& intervals) {
  std::vector<std::size_t> order(intervals.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return intervals[a].bytes > intervals[b].bytes;
  });
  return order;
}

}  // namespace

MemoryPlan plan_memory(const std::vector<Interval>& intervals, bool share) {
  MemoryPlan plan;
  plan.offsets.resize(intervals.size());
  std::vector<std::size_t> placed;
  std::vector<Placed> busy;
  for (const std::size_t index : by_size(intervals)) {
    const Interval& interval = intervals[index];
    const std::uint64_t bytes = align(interval.bytes);
    busy.clear();
    for (const std::size_t other : placed) {
      const Interval& candidate = intervals[other];
      const bool overlaps = candidate.first <= interval.last && interval.first <= candidate.last;
      if (overlaps) {
        busy.push_back({plan.offsets[other], plan.offsets[other] + align(candidate.bytes)});
      }
    }
    std::sort(busy.begin(), busy.end(),
              [](const Placed& a, const Placed& b) { return a.begin < b.begin; });
    plan.offsets[index] = share ? first_gap(busy, bytes) : plan.bytes;
    plan.bytes = std::max(plan.bytes, plan.offsets[index] + bytes);
    if (bytes > 0) placed.push_back(index);
  }
  return plan;
}

}  // namespace loci::runtime
