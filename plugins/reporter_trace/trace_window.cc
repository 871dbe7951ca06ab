#include "plugins/reporter_trace/trace_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <loci/plugin/reporter.hpp>

namespace loci::report {
namespace {

constexpr std::uint64_t kSlices = 1000;

// The last moment's events count too, hence the one.
TraceWindow whole_session(const loci_profile& profile) { return {0, profile.wall_ns + 1}; }

}  // namespace

TraceWindow selected_window(const loci_profile& profile, const std::optional<StepRange>& steps) {
  if (!steps) return whole_session(profile);
  TraceWindow window{UINT64_MAX, 0};
  for (const loci_profile_step& step : sdk::steps_of(profile)) {
    if (step.number < steps->first || step.number > steps->last) continue;
    window.begin_ns = std::min(window.begin_ns, step.begin_ns);
    window.end_ns = std::max(window.end_ns, step.end_ns);
  }
  if (window.end_ns != 0) return window;
  const std::uint64_t count = profile.step_count;
  throw sdk::Error(
      LOCI_CODE_INVALID_ARGUMENT,
      fmt::format("[reporter] trace: the profile has none of the steps {}-{}; it has {}",
                  steps->first, steps->last,
                  count == 0 ? "no steps"
                             : fmt::format("{} to {}", profile.steps[0].number,
                                           profile.steps[count - 1].number)));
}

SizeByTime::SizeByTime(const loci_profile& profile, const TraceWindow& window, bool by_steps)
    : window_(window) {
  if (by_steps) {
    for (const loci_profile_step& step : sdk::steps_of(profile)) {
      if (step.end_ns > window.begin_ns && step.end_ns < window.end_ns)
        ends_.push_back(step.end_ns);
    }
  } else {
    const std::uint64_t length = window.end_ns - window.begin_ns;
    for (std::uint64_t i = 1; i < kSlices; ++i) {
      ends_.push_back(window.begin_ns + length / kSlices * i);
    }
  }
  ends_.push_back(window.end_ns);
  bytes_.resize(ends_.size());
}

void SizeByTime::add(std::uint64_t at_ns, std::uint64_t bytes) {
  const auto end = std::upper_bound(ends_.begin(), ends_.end() - 1, at_ns);
  bytes_[static_cast<std::size_t>(end - ends_.begin())] += bytes;
}

TraceWindow SizeByTime::longest(std::uint64_t max_bytes) const {
  TraceWindow result{window_.begin_ns, window_.begin_ns};
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    total += bytes_[i];
    if (total > max_bytes) break;
    result.end_ns = ends_[i];
  }
  return result;
}

}  // namespace loci::report
