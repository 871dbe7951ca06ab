// A session run again and again, timed.
#pragma once

#include <cstdint>
#include <loci/profiler.hpp>
#include <loci/tensor.hpp>
#include <loci/transfer_policy.hpp>
#include <vector>

#include "tools/loci/command.h"
#include "tools/loci/model/session.h"

namespace loci::runner {

struct RunCounts {
  std::uint64_t warmup = 0;
  std::uint64_t repeat = 1;
};

struct RepeatedRun {
  std::vector<Tensor> results;  // of the last run
  std::vector<double> microseconds;
};

// --repeat, --warmup and --transfers.
void declare_run_options(po::options_description& options, const RunCounts& defaults);
// Both throw Failure(kUsage).
TransferPolicy read_transfer_policy(const po::variables_map& values);
RunCounts read_run_counts(const po::variables_map& values, const RunCounts& defaults);

// Throws Error, kPolicy if one of the runs violates the policy. The warm-up is not timed. Each run
// is a step of the profiler, if there is one. Ends early, after the run that is under way, once
// `ends` says so.
RepeatedRun run_repeatedly(Session& session, const RunCounts& counts,
                           const TransferPolicy& transfers, Profiler* profiler = nullptr,
                           bool (*ends)() noexcept = nullptr);

}  // namespace loci::runner
