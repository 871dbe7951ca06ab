// A session run again and again, timed.
#pragma once

#include <cstdint>
#include <loci/tensor.hpp>
#include <vector>

#include "tools/loci/command.h"
#include "tools/loci/session.h"

namespace loci::runner {

struct RunCounts {
  std::uint64_t warmup = 0;
  std::uint64_t repeat = 1;
};

struct RepeatedRun {
  std::vector<Tensor> results;  // of the last run
  std::vector<double> microseconds;
};

// --repeat and --warmup.
void declare_run_counts(po::options_description& options, const RunCounts& defaults);
// Throws Failure(kUsage).
RunCounts read_run_counts(const po::variables_map& values, const RunCounts& defaults);

// Throws Error. The warm-up is not timed.
RepeatedRun run_repeatedly(Session& session, const RunCounts& counts);

}  // namespace loci::runner
