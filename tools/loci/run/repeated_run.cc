#include "tools/loci/run/repeated_run.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <limits>
#include <string_view>

#include "tools/loci/run/progress.h"

namespace loci::runner {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kMostRuns = std::numeric_limits<std::int32_t>::max();

}  // namespace

void declare_run_options(po::options_description& options, const RunCounts& defaults) {
  const std::string repeat = fmt::format("run N times, timed ({} by default)", defaults.repeat);
  const std::string warmup =
      fmt::format("run N times before that, not timed ({} by default)", defaults.warmup);
  options.add_options()                                                      //
      ("repeat", po::value<std::string>()->value_name("N"), repeat.c_str())  //
      ("warmup", po::value<std::string>()->value_name("N"), warmup.c_str())  //
      ("transfers", po::value<std::string>()->value_name("allow|log|forbid|sync=N"),
       "copies between places besides feed and fetch: allow (the default), log each, forbid them, "
       "or let the host wait for N of them in a run");
}

TransferPolicy read_transfer_policy(const po::variables_map& values) {
  if (values.count("transfers") == 0) return TransferPolicy::allow();
  const auto& text = values["transfers"].as<std::string>();
  if (text == "allow") return TransferPolicy::allow();
  if (text == "log") return TransferPolicy::log();
  if (text == "forbid") return TransferPolicy::forbid();
  constexpr std::string_view kBudget = "sync=";
  std::uint64_t most = 0;
  const char* end = text.data() + text.size();
  if (text.rfind(kBudget, 0) == 0 && text.size() > kBudget.size()) {
    const auto [stop, error] = std::from_chars(text.data() + kBudget.size(), end, most);
    if (error == std::errc() && stop == end) return TransferPolicy::synchronous(most);
  }
  throw Failure(ExitCode::kUsage,
                fmt::format("[--transfers] '{}' is not one of allow, log, forbid, sync=N", text));
}

RunCounts read_run_counts(const po::variables_map& values, const RunCounts& defaults) {
  RunCounts counts = defaults;
  if (values.count("warmup") != 0) counts.warmup = whole_number(values, "warmup", 0, kMostRuns);
  if (values.count("repeat") != 0) counts.repeat = whole_number(values, "repeat", 1, kMostRuns);
  return counts;
}

RepeatedRun run_repeatedly(Session& session, const RunCounts& counts,
                           const TransferPolicy& transfers, Profiler* profiler,
                           bool (*ends)() noexcept) {
  const Feed feed = session.feed();
  const std::vector<Fetch> fetch = session.fetch();
  Progress progress(static_cast<std::int64_t>(counts.warmup + counts.repeat));
  const auto end_step = [&] {
    if (profiler != nullptr) profiler->step();
    progress.step();
  };
  const auto goes_on = [ends] { return ends == nullptr || !ends(); };
  RepeatedRun done;
  for (std::uint64_t i = 0; i < counts.warmup && goes_on(); ++i) {
    const TransferGuard policy(transfers);
    session.executor.run(session.program, feed, fetch);
    end_step();
  }
  for (std::uint64_t i = 0; i < counts.repeat && goes_on(); ++i) {
    const TransferGuard policy(transfers);
    const auto start = Clock::now();
    done.results = session.executor.run(session.program, feed, fetch);
    const std::chrono::duration<double, std::micro> took = Clock::now() - start;
    done.microseconds.push_back(took.count());
    end_step();
  }
  return done;
}

}  // namespace loci::runner
