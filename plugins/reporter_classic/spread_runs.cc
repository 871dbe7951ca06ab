#include "plugins/reporter_classic/spread_runs.h"

#include <algorithm>
#include <loci/plugin/reporter.hpp>

namespace loci::classic {
namespace {

std::uint32_t kind_of(const loci_profile& profile, const loci_profile_span& span) {
  return profile.labels[span.label].kind;
}

bool is_operator(std::uint32_t kind) { return kind == LOCI_SPAN_OP || kind == LOCI_SPAN_GRADIENT; }

bool is_adoptable(std::uint32_t kind) {
  return is_operator(kind) || kind == LOCI_SPAN_FRAMEWORK || kind == LOCI_SPAN_COPY ||
         kind == LOCI_SPAN_WAIT;
}

// For each thread its runs at the top that hold no operator, by time. They do not overlap.
std::vector<std::vector<std::uint32_t>> candidates(const loci_profile& profile) {
  const sdk::ProfileArray<loci_profile_span> spans = sdk::spans_of(profile);
  std::vector<std::vector<std::uint32_t>> runs(profile.thread_count);
  std::uint32_t top = LOCI_PROFILE_NONE;
  for (std::uint32_t i = 0; i < spans.size(); ++i) {
    const std::uint32_t kind = kind_of(profile, spans[i]);
    if (spans[i].parent == LOCI_PROFILE_NONE) {
      top = i;
      const bool complete = (spans[i].flags & LOCI_SPAN_TRUNCATED) == 0;
      if (kind == LOCI_SPAN_RUN && complete) runs[spans[i].thread].push_back(i);
    }
    std::vector<std::uint32_t>& own = runs[spans[i].thread];
    if (is_operator(kind) && !own.empty() && own.back() == top) own.pop_back();
  }
  return runs;
}

// The run among these that lasts as long as the span and longer.
std::uint32_t run_around(const sdk::ProfileArray<loci_profile_span>& spans,
                         const std::vector<std::uint32_t>& runs, const loci_profile_span& span) {
  const auto after = std::upper_bound(
      runs.begin(), runs.end(), span.begin_ns,
      [&](std::uint64_t at, std::uint32_t run) { return at < spans[run].begin_ns; });
  if (after == runs.begin()) return LOCI_PROFILE_NONE;
  const std::uint32_t run = *(after - 1);
  return spans[run].end_ns >= span.end_ns ? run : LOCI_PROFILE_NONE;
}

}  // namespace

SpreadRuns::SpreadRuns(const loci_profile& profile)
    : adopters_(profile.span_count, LOCI_PROFILE_NONE),
      adopted_(profile.span_count, false),
      device_ns_(profile.span_count, 0) {
  const sdk::ProfileArray<loci_profile_span> spans = sdk::spans_of(profile);
  const std::vector<std::vector<std::uint32_t>> runs = candidates(profile);
  for (std::uint32_t i = 0; i < spans.size(); ++i) {
    if (spans[i].parent != LOCI_PROFILE_NONE || !is_adoptable(kind_of(profile, spans[i]))) continue;
    for (std::uint32_t thread = 0; thread < runs.size(); ++thread) {
      if (thread == spans[i].thread || runs[thread].empty()) continue;
      const std::uint32_t run = run_around(spans, runs[thread], spans[i]);
      if (run == LOCI_PROFILE_NONE) continue;
      adopters_[i] = run;
      adopted_[run] = true;
      device_ns_[run] += spans[i].device_ns;
      break;
    }
  }
}

}  // namespace loci::classic
