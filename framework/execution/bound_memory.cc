#include "framework/execution/bound_memory.h"

#include <algorithm>

namespace loci::execution {

void BoundMemory::add(const void* data, std::uint64_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  if (bytes > 0) ranges_.push_back({begin, begin + bytes});
}

void BoundMemory::sort() {
  std::sort(ranges_.begin(), ranges_.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  for (std::size_t i = 1; i < ranges_.size(); ++i) {
    ranges_[i].end = std::max(ranges_[i].end, ranges_[i - 1].end);
  }
}

bool BoundMemory::meets(const void* data, std::uint64_t bytes) const {
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  const auto after =
      std::partition_point(ranges_.begin(), ranges_.end(),
                           [end = begin + bytes](const Range& range) { return range.begin < end; });
  return bytes > 0 && after != ranges_.begin() && std::prev(after)->end > begin;
}

}  // namespace loci::execution
