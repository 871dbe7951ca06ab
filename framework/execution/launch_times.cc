#include "framework/execution/launch_times.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "framework/core/steady_time.h"
#include "framework/core/team_workers.h"

namespace loci::execution {
namespace {

constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

}  // namespace

void LaunchTimes::measure(std::size_t count, const std::function<void(std::size_t)>& launch) {
  const bool is_alone = is_next_alone();
  std::vector<Launch> launches(count, {kUnknown, kUnknown, false});
  std::optional<core::WithoutTeam> alone;
  if (is_alone) alone.emplace();
  std::uint64_t begun = core::steady_ns();
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t loops = core::loops_opened();
    launch(i);
    const std::uint64_t ended = core::steady_ns();
    (is_alone ? launches[i].alone_ns : launches[i].ns) = ended - begun;
    launches[i].uses_team = core::loops_opened() != loops;
    begun = ended;
  }
  add(launches, is_alone);
}

bool LaunchTimes::is_next_alone() const {
  const std::lock_guard lock(mutex_);
  return alone_runs_ < team_runs_;
}

void LaunchTimes::add(const std::vector<Launch>& launches, bool is_alone) {
  const std::lock_guard lock(mutex_);
  launches_.resize(launches.size(), {kUnknown, kUnknown, false});
  for (std::size_t i = 0; i < launches.size(); ++i) {
    launches_[i].ns = std::min(launches_[i].ns, launches[i].ns);
    launches_[i].alone_ns = std::min(launches_[i].alone_ns, launches[i].alone_ns);
    launches_[i].uses_team = launches_[i].uses_team || launches[i].uses_team;
  }
  ++(is_alone ? alone_runs_ : team_runs_);
  if (std::min(alone_runs_, team_runs_) < kRuns || is_complete_) return;
  is_complete_ = true;
  is_ready_ = true;
}

std::vector<LaunchTimes::Launch> LaunchTimes::launches() const {
  const std::lock_guard lock(mutex_);
  return launches_;
}

}  // namespace loci::execution
