// The free ranges of an arena that grows at its end.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace loci::planning {

// For ranges of which nothing is remembered: they are free for all that comes.
struct NoMark {};
inline void join(NoMark* /*mark*/, const NoMark& /*other*/) {}

// Mark: what is remembered of a free range, say since when it is free. join(Mark*, Mark) is called
// for ranges that become one; what is split off keeps it.
template <class Mark>
class FreeRanges {
 public:
  // Several may share the arena that ends at `*end`.
  explicit FreeRanges(std::uint64_t* end) : end_(end) {}

  // The begin of the smallest range that holds it and whose mark is `fit`, of the `most` smallest
  // ones that hold it.
  template <class Fit>
  std::optional<std::uint64_t> take(std::uint64_t bytes, int most, const Fit& fit) {
    auto found = by_size_.lower_bound({bytes, 0});
    for (; most > 0 && found != by_size_.end(); --most, ++found) {
      const std::uint64_t begin = found->second;
      const auto range = by_begin_.find(begin);
      if (!fit(range->second.mark)) continue;
      split(range, bytes);
      return begin;
    }
    return std::nullopt;
  }
  // From the range that the arena ends with on, if it is one of these.
  std::uint64_t grow(std::uint64_t bytes) {
    std::uint64_t begin = *end_;
    if (!by_begin_.empty()) {
      const auto last = std::prev(by_begin_.end());
      if (last->first + last->second.bytes == *end_) {
        begin = last->first;
        erase(last);
      }
    }
    *end_ = begin + bytes;
    return begin;
  }
  void give_back(std::uint64_t begin, std::uint64_t bytes, Mark mark) {
    auto next = by_begin_.lower_bound(begin);
    if (next != by_begin_.end() && next->first == begin + bytes) {
      bytes += next->second.bytes;
      join(&mark, next->second.mark);
      next = erase(next);
    }
    if (next != by_begin_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second.bytes == begin) {
        begin = before->first;
        bytes += before->second.bytes;
        join(&mark, before->second.mark);
        erase(before);
      }
    }
    insert(begin, bytes, std::move(mark));
  }

 private:
  struct Range {
    std::uint64_t bytes;
    Mark mark;
  };
  using Ranges = std::map<std::uint64_t, Range>;

  void split(typename Ranges::iterator range, std::uint64_t bytes) {
    const std::uint64_t begin = range->first;
    const std::uint64_t rest = range->second.bytes - bytes;
    Mark mark = std::move(range->second.mark);
    by_size_.erase({range->second.bytes, begin});
    by_begin_.erase(range);
    if (rest > 0) insert(begin + bytes, rest, std::move(mark));
  }
  void insert(std::uint64_t begin, std::uint64_t bytes, Mark mark) {
    by_begin_.emplace(begin, Range{bytes, std::move(mark)});
    by_size_.emplace(bytes, begin);
  }
  typename Ranges::iterator erase(typename Ranges::iterator range) {
    by_size_.erase({range->second.bytes, range->first});
    return by_begin_.erase(range);
  }

  Ranges by_begin_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> by_size_;
  std::uint64_t* end_;
};

}  // namespace loci::planning
