#include "framework/capture/list_runs.h"

#include "framework/profiler/recording.h"

namespace loci::capture {

bool ListRuns::run(const LaunchList::Target& target, std::uint64_t correlation) {
  target_ = &target;
  correlation_ = correlation;
  if (!profiler::records_at(profiler::Level::kOp)) [[likely]]
    return run_either();
  const bool forks = is_forked();
  forks ? run_forked() : run_plain(0, list_.size());
  return forks;
}

void ListRuns::run_plain(std::size_t first, std::size_t last) {
  list_.run(first, last, *target_, correlation_ + first);
}

void ListRuns::run(const execution::CoreSegment& segment, execution::CoreWalk& walk) noexcept {
  for (std::uint32_t i = segment.first; i < segment.last; ++i) {
    const std::uint32_t item = forks().order[i];
    if (!walk.is_wanted(item)) continue;
    loci_error* error = list_.launch(item, *target_, correlation_ + item);
    if (error != nullptr) [[unlikely]]
      walk.fail(item, error);
  }
}

void ListRuns::fail(std::uint32_t item, const Error& error) {
  list_.fail(item, error, target_->device);
}

}  // namespace loci::capture
