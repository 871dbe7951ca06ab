#include "framework/capture/range_dependencies.h"

#include <algorithm>
#include <utility>

namespace loci::capture {

void RangeDependencies::split(std::uint64_t at) {
  auto after = pieces_.upper_bound(at);
  if (after == pieces_.begin()) return;
  auto& [begin, piece] = *std::prev(after);
  if (begin == at || piece.end <= at) return;
  pieces_.emplace_hint(after, at, piece);
  piece.end = at;
}

RangeDependencies::Pieces::iterator RangeDependencies::cover(std::uint64_t begin,
                                                             std::uint64_t end) {
  split(begin);
  split(end);
  auto next = pieces_.lower_bound(begin);
  for (std::uint64_t at = begin; at < end; ++next) {
    if (next == pieces_.end() || next->first > at) {
      const std::uint64_t until = next == pieces_.end() ? end : std::min(end, next->first);
      next = pieces_.emplace_hint(next, at, Piece{until});
    }
    at = next->second.end;
  }
  return pieces_.find(begin);
}

void RangeDependencies::need(std::uint32_t now, std::int64_t on) {
  if (on == kNone || on == now) return;
  found_[now].push_back({static_cast<std::uint32_t>(on), /*host_value=*/true});
}

void RangeDependencies::read(std::uint32_t now, std::uint64_t begin, std::uint64_t end) {
  if (begin >= end) return;
  for (auto at = cover(begin, end); at != pieces_.end() && at->first < end; ++at) {
    Piece& piece = at->second;
    need(now, piece.writer);
    readers_.push_back({now, piece.readers});
    piece.readers = static_cast<std::int64_t>(readers_.size()) - 1;
  }
}

void RangeDependencies::write(std::uint32_t now, std::uint64_t begin, std::uint64_t end) {
  if (begin >= end) return;
  auto at = cover(begin, end);
  while (at != pieces_.end() && at->first < end) {
    need(now, at->second.writer);
    for (std::int64_t each = at->second.readers; each != kNone;) {
      const Reader& reader = readers_[static_cast<std::size_t>(each)];
      need(now, reader.launch);
      each = reader.earlier;
    }
    at = pieces_.erase(at);
  }
  pieces_.emplace_hint(at, begin, Piece{end, now, kNone});
}

planning::Dependencies RangeDependencies::take() {
  for (std::vector<planning::Dependency>& list : found_) {
    std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.on < b.on; });
    const auto same = [](const auto& a, const auto& b) { return a.on == b.on; };
    list.erase(std::unique(list.begin(), list.end(), same), list.end());
  }
  return std::exchange(found_, {});
}

}  // namespace loci::capture
