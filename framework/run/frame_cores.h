// Runs of a frame whose plan has launches for several threads of the team.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "framework/run/core_choice.h"
#include "framework/run/core_walk.h"
#include "framework/run/plan.h"
#include "framework/run/profile_script.h"

namespace loci::runtime {

class Frame;

// Of one frame, which outlives it, as the plan does; used by one run at a time, after the first.
class FrameCores final : private CoreWalk::Segments {
 public:
  FrameCores(const Plan& plan, Frame& frame);

  // All launches, whichever way; one after the other while the team is somebody else's. Throws
  // Error with the first operator that failed.
  void run(std::uint64_t first_correlation);
  // Whether runs that are recorded are to be as others are now; with scopes on the threads that
  // launch then.
  [[nodiscard]] bool is_forked() const;
  void run_profiled(std::uint64_t first_correlation);

 private:
  void run(const CoreSegment& segment, CoreWalk& walk) noexcept override;
  void run_plain(std::size_t first, std::size_t last);
  void run_forked();
  void run_tracks(const CoreRegion& region);
  template <class Launch>
  void run_script(const ProfileScript& script, const Launch& launch) const;

  const Plan& plan_;
  Frame& frame_;
  CoreWalk walk_;
  CoreChoice choice_;
  bool always_forks_;
  bool is_first_ = true;
  std::uint64_t first_correlation_ = 0;                  // of the run
  const std::vector<ProfileScript>* scripts_ = nullptr;  // of one that is recorded
};

}  // namespace loci::runtime
