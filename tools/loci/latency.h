// How long the runs took.
#pragma once

#include <vector>

namespace loci::runner {

struct Latency {
  double min_us = 0;
  double median_us = 0;  // the mean of the middle two for an even number of runs
};

// Of at least one run.
Latency summarize(std::vector<double> microseconds);

}  // namespace loci::runner
