#include "framework/execution/frame_cores.h"

#include "framework/execution/capture_facts.h"
#include "framework/execution/frame.h"
#include "framework/profiler/scope.h"

namespace loci::execution {

FrameCores::FrameCores(const Plan& plan, Frame& frame)
    : CoreRuns(*plan.core_forks), plan_(plan), frame_(frame) {}

void FrameCores::run(std::uint64_t first_correlation) {
  first_correlation_ = first_correlation;
  scripts_ = nullptr;
  const bool forks = run_either();
  plan_.captures->cores.note(choice(), forks);
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

void FrameCores::fail(std::uint32_t instruction, const Error& error) {
  frame_.fail(instruction, error);
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

}  // namespace loci::execution
