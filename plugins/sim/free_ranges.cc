#include "plugins/sim/free_ranges.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace loci::sim {

FreeRanges::FreeRanges(std::uint64_t bytes) { ranges_[0] = bytes; }

std::optional<std::uint64_t> FreeRanges::take(std::uint64_t bytes) {
  const auto found = std::find_if(ranges_.begin(), ranges_.end(),
                                  [bytes](const auto& range) { return range.second >= bytes; });
  if (found == ranges_.end()) return std::nullopt;
  const std::uint64_t offset = found->first;
  const bool has_rest = found->second > bytes;
  spares_.reserve(spares_.size() + 1);
  if (has_rest) add_spare();
  Ranges::node_type node = ranges_.extract(found);
  if (has_rest) {
    node.key() += bytes;
    node.mapped() -= bytes;
    ranges_.insert(std::move(node));
  } else {
    spares_.push_back(std::move(node));
  }
  return offset;
}

void FreeRanges::add_spare() {
  Ranges made;
  made.emplace(0, 0);
  spares_.push_back(made.extract(made.begin()));
}

void FreeRanges::give(std::uint64_t offset, std::uint64_t bytes) noexcept {
  const auto next = ranges_.lower_bound(offset);
  if (next != ranges_.end() && next->first == offset + bytes) {
    bytes += next->second;
    ranges_.erase(next);
  }
  Ranges::node_type node = std::move(spares_.back());
  spares_.pop_back();
  const auto after = ranges_.lower_bound(offset);
  if (after != ranges_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == offset) {
      before->second += bytes;
      return;
    }
  }
  node.key() = offset;
  node.mapped() = bytes;
  ranges_.insert(std::move(node));
}

}  // namespace loci::sim
