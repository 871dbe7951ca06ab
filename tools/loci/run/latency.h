// How long the runs took.
#pragma once

#include <vector>

namespace loci::runner {

struct Latency {
  double min_us = 0;
  double median_us = 0;  // the mean of the middle two for an even number of runs
  double mean_us = 0;
  double p90_us = 0;  // the run at most as slow as which 90 % of them are (nearest rank)
  double p99_us = 0;
  double max_us = 0;
};

// Takes the times of at least one run.
Latency summarize(std::vector<double> microseconds);

}  // namespace loci::runner
