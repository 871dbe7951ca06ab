#include "framework/compile/memory_plan.h"

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

std::vector<std::size_t> by_size(const std::vector<std::uint64_t>& bytes) {
  std::vector<std::size_t> order(bytes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return bytes[a] > bytes[b]; });
  return order;
}

template <class Meet>
MemoryPlan place(const std::vector<std::uint64_t>& sizes, const Meet& meet) {
  MemoryPlan plan;
  plan.offsets.resize(sizes.size());
  std::vector<std::size_t> placed;
  std::vector<Placed> busy;
  for (const std::size_t index : by_size(sizes)) {
    const std::uint64_t bytes = align(sizes[index]);
    busy.clear();
    for (const std::size_t other : placed) {
      if (!meet(index, other)) continue;
      busy.push_back({plan.offsets[other], plan.offsets[other] + align(sizes[other])});
    }
    std::sort(busy.begin(), busy.end(),
              [](const Placed& a, const Placed& b) { return a.begin < b.begin; });
    plan.offsets[index] = first_gap(busy, bytes);
    plan.bytes = std::max(plan.bytes, plan.offsets[index] + bytes);
    if (bytes > 0) placed.push_back(index);
  }
  return plan;
}

MemoryPlan place_apart(const std::vector<std::uint64_t>& sizes) {
  MemoryPlan plan;
  plan.offsets.resize(sizes.size());
  for (const std::size_t index : by_size(sizes)) {
    plan.offsets[index] = plan.bytes;
    plan.bytes += align(sizes[index]);
  }
  return plan;
}

}  // namespace

MemoryPlan plan_memory(const std::vector<Interval>& intervals, bool share) {
  std::vector<std::uint64_t> sizes;
  for (const Interval& interval : intervals) sizes.push_back(interval.bytes);
  if (!share) return place_apart(sizes);
  return place(sizes, [&](std::size_t a, std::size_t b) {
    return intervals[a].first <= intervals[b].last && intervals[b].first <= intervals[a].last;
  });
}

MemoryPlan plan_memory(const std::vector<std::uint64_t>& bytes, const Meets& meet) {
  return place(bytes, meet);
}

}  // namespace loci::runtime
