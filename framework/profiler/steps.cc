#include "framework/profiler/steps.h"

#include <cstdint>

namespace loci::profiler {
namespace {

std::vector<loci_profile_step> outermost_runs(const Recording& recording, const Nesting& nesting) {
  std::vector<loci_profile_step> steps;
  if (recording.threads.empty()) return steps;
  std::uint64_t covered = 0;  // up to the end of the last run
  for (std::uint32_t i = nesting.first_of_thread[recording.main_thread];
       i < nesting.first_of_thread[recording.main_thread + 1]; ++i) {
    const loci_profile_span& span = nesting.spans[i];
    if (recording.labels[span.label].kind != LOCI_SPAN_RUN) continue;
    // Spans are nested: one that ends within an earlier run lies in it.
    if (!steps.empty() && span.end_ns <= covered) continue;
    covered = span.end_ns;
    steps.push_back({span.begin_ns, span.end_ns, steps.size()});
  }
  return steps;
}

}  // namespace

std::vector<loci_profile_step> find_steps(const Recording& recording, const Nesting& nesting) {
  if (recording.steps.empty()) return outermost_runs(recording, nesting);
  std::vector<loci_profile_step> steps;
  steps.reserve(recording.steps.size());
  for (const StepMark& mark : recording.steps) {
    steps.push_back({mark.begin_ns, mark.end_ns, mark.number});
  }
  return steps;
}

}  // namespace loci::profiler
