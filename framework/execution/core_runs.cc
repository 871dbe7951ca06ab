#include "framework/execution/core_runs.h"

#include <utility>

#include "framework/core/abi/error.h"
#include "framework/core/steady_time.h"
#include "framework/core/team_workers.h"

namespace loci::execution {

CoreRuns::CoreRuns(const CoreForks& forks)
    : forks_(forks), walk_(forks), always_forks_(core_forks_policy() == CoreForksPolicy::kAlways) {}

bool CoreRuns::run_either() {
  const bool is_first = std::exchange(is_first_, false);
  const bool has_choice = !is_first && !always_forks_ && core::team_has_place();
  const bool forks =
      has_choice ? choice_.next() == CoreChoice::Way::kForked : always_forks_ && !is_first;
  const bool is_measured = has_choice && choice_.is_measured();
  const std::uint64_t begun = is_measured ? core::steady_ns() : 0;
  forks ? run_forked() : run_plain(0, forks_.regions.back().last);
  if (has_choice) choice_.note(is_measured ? core::steady_ns() - begun : 0);
  return forks;
}

bool CoreRuns::is_forked() const {
  return !is_first_ && (always_forks_ || (choice_.is_forked() && core::team_has_place()));
}

void CoreRuns::run_forked() {
  for (const CoreRegion& region : forks_.regions) {
    region.tracks.empty() ? run_plain(region.first, region.last) : run_tracks(region);
  }
}

void CoreRuns::run_tracks(const CoreRegion& region) {
  walk_.run(region, *this);
  const CoreWalk::Failure failure = walk_.take_failure();
  if (failure.error != nullptr) fail(failure.instruction, core::take_error(failure.error));
}

}  // namespace loci::execution
