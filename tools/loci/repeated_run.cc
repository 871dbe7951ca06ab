#include "tools/loci/repeated_run.h"

#include <fmt/format.h>

#include <chrono>
#include <limits>

#include "tools/loci/progress.h"

namespace loci::runner {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kMostRuns = std::numeric_limits<std::int32_t>::max();

}  // namespace

void declare_run_counts(po::options_description& options, const RunCounts& defaults) {
  const std::string repeat = fmt::format("run N times, timed ({} by default)", defaults.repeat);
  const std::string warmup =
      fmt::format("run N times before that, not timed ({} by default)", defaults.warmup);
  options.add_options()                                                      //
      ("repeat", po::value<std::string>()->value_name("N"), repeat.c_str())  //
      ("warmup", po::value<std::string>()->value_name("N"), warmup.c_str());
}

RunCounts read_run_counts(const po::variables_map& values, const RunCounts& defaults) {
  RunCounts counts = defaults;
  if (values.count("warmup") != 0) counts.warmup = whole_number(values, "warmup", 0, kMostRuns);
  if (values.count("repeat") != 0) counts.repeat = whole_number(values, "repeat", 1, kMostRuns);
  return counts;
}

RepeatedRun run_repeatedly(Session& session, const RunCounts& counts) {
  const Feed feed = session.feed();
  const std::vector<Fetch> fetch = session.fetch();
  Progress progress(static_cast<std::int64_t>(counts.warmup + counts.repeat));
  RepeatedRun done;
  for (std::uint64_t i = 0; i < counts.warmup; ++i) {
    session.executor.run(session.program, feed, fetch);
    progress.step();
  }
  for (std::uint64_t i = 0; i < counts.repeat; ++i) {
    const auto start = Clock::now();
    done.results = session.executor.run(session.program, feed, fetch);
    const std::chrono::duration<double, std::micro> took = Clock::now() - start;
    done.microseconds.push_back(took.count());
    progress.step();
  }
  return done;
}

}  // namespace loci::runner
