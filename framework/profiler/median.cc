#include "framework/profiler/median.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace loci::profiler {
namespace {

struct Rank {
  std::size_t k = 1;
  double confidence = 0;
};

// For n values. Adds up the binomial distribution from its lower end, with logarithms as its first
// terms are too small for a double.
Rank rank_for(std::size_t n) {
  const auto count = static_cast<double>(n);
  double log_term = -count * std::numbers::ln2;  // of P(B = k - 1)
  double below = std::exp(log_term);             // P(B <= k - 1)
  Rank rank{1, 1 - 2 * below};
  for (std::size_t k = 2; 2 * k <= n; ++k) {
    const auto step = static_cast<double>(k - 1);
    log_term += std::log((count - step + 1) / step);
    below += std::exp(log_term);
    if (1 - 2 * below < kMedianConfidence) break;
    rank = {k, 1 - 2 * below};
  }
  return rank;
}

// The sample in order, with its zeros.
class Ordered {
 public:
  Ordered(std::vector<std::uint64_t>& values, std::size_t zeros) : values_(values), zeros_(zeros) {
    std::sort(values.begin(), values.end());
  }
  [[nodiscard]] double at(std::size_t index) const {
    return index < zeros_ ? 0 : static_cast<double>(values_[index - zeros_]);
  }

 private:
  const std::vector<std::uint64_t>& values_;
  const std::size_t zeros_;
};

}  // namespace

Median median_of(std::vector<std::uint64_t> values, std::size_t zeros) {
  Median median;
  median.count = values.size() + zeros;
  if (median.count == 0) return median;
  const Ordered ordered(values, zeros);
  const Rank rank = rank_for(median.count);
  median.value = (ordered.at((median.count - 1) / 2) + ordered.at(median.count / 2)) / 2;
  median.low = ordered.at(rank.k - 1);
  median.high = ordered.at(median.count - rank.k);
  median.confidence = rank.confidence;
  return median;
}

}  // namespace loci::profiler
