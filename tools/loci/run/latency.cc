#include "tools/loci/run/latency.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace loci::runner {
namespace {

// In whole numbers: 0.9 * 10 runs is more than 9 in floating point, which would be the 10th.
double percentile(const std::vector<double>& sorted, std::size_t percent) {
  return sorted[(sorted.size() * percent + 99) / 100 - 1];
}

double median(const std::vector<double>& sorted) {
  const std::size_t middle = sorted.size() / 2;
  const double upper = sorted[middle];
  const double lower = sorted.size() % 2 == 0 ? sorted[middle - 1] : upper;
  return (lower + upper) / 2;
}

}  // namespace

Latency summarize(std::vector<double> microseconds) {
  std::sort(microseconds.begin(), microseconds.end());
  const double sum = std::accumulate(microseconds.begin(), microseconds.end(), 0.0);
  Latency latency;
  latency.min_us = microseconds.front();
  latency.median_us = median(microseconds);
  latency.mean_us = sum / static_cast<double>(microseconds.size());
  latency.p90_us = percentile(microseconds, 90);
  latency.p99_us = percentile(microseconds, 99);
  latency.max_us = microseconds.back();
  return latency;
}

}  // namespace loci::runner
