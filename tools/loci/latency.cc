#include "tools/loci/latency.h"

#include <algorithm>

namespace loci::runner {

Latency summarize(std::vector<double> microseconds) {
  std::sort(microseconds.begin(), microseconds.end());
  const std::size_t middle = microseconds.size() / 2;
  const double upper = microseconds[middle];
  const double lower = microseconds.size() % 2 == 0 ? microseconds[middle - 1] : upper;
  return {microseconds.front(), (lower + upper) / 2};
}

}  // namespace loci::runner
