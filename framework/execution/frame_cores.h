// Runs of a frame whose plan has launches for several threads of the team.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "framework/execution/core_runs.h"
#include "framework/execution/plan.h"
#include "framework/execution/profile_script.h"

namespace loci::execution {

class Frame;

// Runs one frame's launches; frame and plan outlive it. Used by one run at a time, after the first.
class FrameCores final : public CoreRuns {
 public:
  FrameCores(const Plan& plan, Frame& frame);

  // All launches, whichever way; one after the other while the team is somebody else's. Throws
  // Error with the first operator that failed.
  void run(std::uint64_t first_correlation);
  // With scopes on the threads that launch; for runs that are recorded while others are in tracks.
  void run_profiled(std::uint64_t first_correlation);

 private:
  void run(const CoreSegment& segment, CoreWalk& walk) noexcept override;
  void run_plain(std::size_t first, std::size_t last) override;
  [[noreturn]] void fail(std::uint32_t instruction, const Error& error) override;
  template <class Launch>
  void run_script(const ProfileScript& script, const Launch& launch) const;

  const Plan& plan_;
  Frame& frame_;
  std::uint64_t first_correlation_ = 0;                  // of the run
  const std::vector<ProfileScript>* scripts_ = nullptr;  // of one that is recorded
};

}  // namespace loci::execution
