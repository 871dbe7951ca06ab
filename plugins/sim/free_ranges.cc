#include "plugins/sim/free_ranges.h"

#include <algorithm>
#include <iterator>

namespace loci::sim {

std::optional<std::uint64_t> FreeRanges::take(std::uint64_t bytes) {
  const auto found = std::find_if(ranges_.begin(), ranges_.end(),
                                  [bytes](const auto& range) { return range.second >= bytes; });
  if (found == ranges_.end()) return std::nullopt;
  const auto [offset, length] = *found;
  ranges_.erase(found);
  if (length > bytes) ranges_[offset + bytes] = length - bytes;
  return offset;
}

void FreeRanges::give(std::uint64_t offset, std::uint64_t bytes) {
  const auto next = ranges_.lower_bound(offset);
  if (next != ranges_.end() && next->first == offset + bytes) {
    bytes += next->second;
    ranges_.erase(next);
  }
  const auto after = ranges_.lower_bound(offset);
  if (after != ranges_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == offset) {
      before->second += bytes;
      return;
    }
  }
  ranges_[offset] = bytes;
}

}  // namespace loci::sim
