// The time that a set of intervals covers.
#pragma once

#include <algorithm>
#include <cstdint>

namespace loci::profiler {

// Intervals are added in the order of their begin.
class CoveredTime {
 public:
  // Returns by how much the covered time grows.
  std::uint64_t add(std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t from = std::max(begin, end_);
    if (end <= from) return 0;
    end_ = end;
    return end - from;
  }
  // The end of the intervals so far; 0 before the first.
  [[nodiscard]] std::uint64_t end() const { return end_; }

 private:
  std::uint64_t end_ = 0;
};

}  // namespace loci::profiler
