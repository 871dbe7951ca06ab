#include "framework/run/frame_cores.h"

#include <utility>

#include "framework/core/abi/error.h"
#include "framework/core/steady_time.h"
#include "framework/core/team_workers.h"
#include "framework/profiler/scope.h"
#include "framework/run/capture_facts.h"
#include "framework/run/frame.h"

namespace loci::runtime {

FrameCores::FrameCores(const Plan& plan, Frame& frame)
    : plan_(plan),
      frame_(frame),
      walk_(*plan.core_forks),
      always_forks_(core_forks_policy() == CoreForksPolicy::kAlways) {}

void FrameCores::run(std::uint64_t first_correlation) {
  first_correlation_ = first_correlation;
  scripts_ = nullptr;
  // Code that has not run yet is this thread's to run.
  const bool is_first = std::exchange(is_first_, false);
  const bool has_choice = !is_first && !always_forks_ && core::team_has_place();
  const bool forks =
      has_choice ? choice_.next() == CoreChoice::Way::kForked : always_forks_ && !is_first;
  const bool is_measured = has_choice && choice_.is_measured();
  const std::uint64_t begun = is_measured ? core::steady_ns() : 0;
  forks ? run_forked() : run_plain(0, plan_.instructions.size());
  if (has_choice) choice_.note(is_measured ? core::steady_ns() - begun : 0);
  plan_.captures->note_cores(choice_.plain_ns(), choice_.forked_ns(), forks);
}

bool FrameCores::is_forked() const {
  return !is_first_ && (always_forks_ || (choice_.is_forked() && core::team_has_place()));
}

void FrameCores::run_profiled(std::uint64_t first_correlation) {
  first_correlation_ = first_correlation;
  const bool detail = profiler::records_at(profiler::Level::kDetail);
  scripts_ = &plan_.core_scripts(detail ? profiler::Level::kDetail : profiler::Level::kOp);
  for (const CoreRegion& region : plan_.core_forks->regions) {
    if (!region.tracks.empty()) {
      run_tracks(region);
    } else {
      run_script((*scripts_)[region.script],
                 [&](std::uint32_t i) { frame_.launch(i, first_correlation_); });
    }
  }
}

// The scopes of what fails are closed too.
template <class Launch>
void FrameCores::run_script(const ProfileScript& script, const Launch& launch) const {
  profiler::OpenScopes scopes;
  for (const ProfileStep& step : script.steps) {
    switch (step.kind) {
      case ProfileStep::Kind::kOpen:
        scopes.push(step.label, step.launches ? first_correlation_ + step.instruction : 0);
        break;
      case ProfileStep::Kind::kLaunch: launch(step.instruction); break;
      case ProfileStep::Kind::kClose: scopes.pop(); break;
    }
  }
}

void FrameCores::run_plain(std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) frame_.launch(i, first_correlation_);
}

void FrameCores::run_forked() {
  for (const CoreRegion& region : plan_.core_forks->regions) {
    region.tracks.empty() ? run_plain(region.first, region.last) : run_tracks(region);
  }
}

void FrameCores::run_tracks(const CoreRegion& region) {
  walk_.run(region, *this);
  const CoreWalk::Failure failure = walk_.take_failure();
  if (failure.error != nullptr) frame_.fail(failure.instruction, core::take_error(failure.error));
}

void FrameCores::run(const CoreSegment& segment, CoreWalk& walk) noexcept {
  const auto launch = [&](std::uint32_t instruction) {
    if (!walk.is_wanted(instruction)) return;
    loci_error* error = frame_.launch_kernel(instruction, first_correlation_);
    if (error != nullptr) [[unlikely]]
      walk.fail(instruction, error);
  };
  if (scripts_ != nullptr) [[unlikely]]
    return run_script((*scripts_)[segment.script], launch);
  for (std::uint32_t i = segment.first; i < segment.last; ++i) launch(plan_.core_forks->order[i]);
}

}  // namespace loci::runtime
