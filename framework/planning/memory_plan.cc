#include "framework/planning/memory_plan.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "framework/planning/free_ranges.h"

namespace loci::planning {
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

struct Event {
  std::int32_t time;
  bool is_begin;  // an end at the same time comes after it: both are included in the interval
  std::size_t interval;
};

template <class Visit>
void for_each_event(const std::vector<Interval>& intervals, const Visit& visit) {
  std::vector<Event> events;
  events.reserve(2 * intervals.size());
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    events.push_back({intervals[i].first, true, i});
    events.push_back({intervals[i].last, false, i});
  }
  // Intervals that begin at one time come the largest first, which finds gaps least easily.
  std::sort(events.begin(), events.end(), [&](const Event& a, const Event& b) {
    const auto key = [&](const Event& event) {
      const std::uint64_t bytes = event.is_begin ? ~intervals[event.interval].bytes : 0;
      return std::make_tuple(event.time, !event.is_begin, bytes, event.interval);
    };
    return key(a) < key(b);
  });
  for (const Event& event : events) visit(event);
}

MemoryPlan scan(const std::vector<Interval>& intervals) {
  MemoryPlan plan;
  plan.offsets.resize(intervals.size());
  FreeRanges<NoMark> free(&plan.bytes);
  for_each_event(intervals, [&](const Event& event) {
    const std::uint64_t bytes = align(intervals[event.interval].bytes);
    if (bytes == 0) return;
    std::uint64_t& offset = plan.offsets[event.interval];
    if (event.is_begin) {
      const auto found = free.take(bytes, 1, [](NoMark) { return true; });
      offset = found ? *found : free.grow(bytes);
    } else {
      free.give_back(offset, bytes, {});
    }
  });
  return plan;
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

std::vector<Interval> reversed_in_time(std::vector<Interval> intervals) {
  for (Interval& interval : intervals) {
    const std::int32_t first = interval.first;
    interval.first = -interval.last;
    interval.last = -first;
  }
  return intervals;
}

// Values that are alive at the same time begin or end beside each other in the order of time, but
// for long lives: which end a plan begins at makes a difference.
MemoryPlan place_in_time(const std::vector<Interval>& intervals) {
  MemoryPlan forward = scan(intervals);
  MemoryPlan backward = scan(reversed_in_time(intervals));
  return backward.bytes < forward.bytes ? std::move(backward) : std::move(forward);
}

}  // namespace

std::uint64_t largest_live_bytes(const std::vector<Interval>& intervals) {
  std::uint64_t most = 0;
  std::uint64_t live = 0;
  for_each_event(intervals, [&](const Event& event) {
    const std::uint64_t bytes = align(intervals[event.interval].bytes);
    live = event.is_begin ? live + bytes : live - bytes;
    most = std::max(most, live);
  });
  return most;
}

MemoryPlan plan_memory(const std::vector<Interval>& intervals, bool share) {
  std::vector<std::uint64_t> sizes;
  for (const Interval& interval : intervals) sizes.push_back(interval.bytes);
  if (!share) return place_apart(sizes);
  if (intervals.size() > kFewIntervals) return place_in_time(intervals);
  return place(sizes, [&](std::size_t a, std::size_t b) {
    return intervals[a].first <= intervals[b].last && intervals[b].first <= intervals[a].last;
  });
}

MemoryPlan plan_memory(const std::vector<std::uint64_t>& bytes, const Meets& meet) {
  return place(bytes, meet);
}

}  // namespace loci::planning
