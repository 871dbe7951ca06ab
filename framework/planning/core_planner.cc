#include "framework/planning/core_planner.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "framework/planning/fork_planner.h"

namespace loci::planning {
namespace {

using execution::CoreForks;
using execution::CoreRegion;
using execution::CoreSegment;
using execution::GraphForks;
using execution::Instruction;
using execution::LaunchTimes;
using execution::Plan;

// The time until a thread sees that another one has ended a segment, with what its launch then
// finds in the other one's cache; and the time to begin and end a loop of the team.
constexpr std::uint64_t kWaitNs = 400;
constexpr std::uint64_t kRegionNs = 500;
// Tracks have to win this part of the plain run's time by the estimate.
constexpr double kLeastWin = 0.05;
// Launches that give up the team have to win this part of the best time without that: more of what
// they read and write then lies in another core's cache.
constexpr double kLeastWinBeside = 0.1;

// Says whether launches that the team makes faster run without it, beside others.
enum class TeamLaunches { kAlone, kBeside };

// A loop or a branch may have the team.
LaunchCosts costs_of(const std::vector<bool>& are_kernels,
                     const std::vector<LaunchTimes::Launch>& times, TeamLaunches team_launches,
                     std::uint64_t wait_ns) {
  LaunchCosts costs;
  costs.branch_ns = wait_ns;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const bool is_split = times[i].uses_team && team_launches == TeamLaunches::kAlone;
    const bool is_free = are_kernels[i] && !is_split;
    costs.ns.push_back(is_free && times[i].uses_team ? times[i].alone_ns : times[i].ns);
    costs.is_free.push_back(is_free);
  }
  return costs;
}

// Writes regions of tracks, by the waits of launches.
class RegionWriter {
 public:
  RegionWriter(const GraphForks& forks, const LaunchCosts& costs,
               const std::vector<LaunchTimes::Launch>& times, bool wins_always)
      : forks_(forks),
        costs_(costs),
        times_(times),
        wins_always_(wins_always),
        segment_(forks.waits.size()),
        end_ns_(forks.waits.size()),
        ends_segment_(forks.waits.size()) {}

  CoreForks write() {
    const auto count = static_cast<std::uint32_t>(forks_.waits.size());
    for (std::uint32_t first = 0; first < count;) {
      std::uint32_t last = first;
      while (last < count && costs_.is_free[last]) ++last;
      if (last > first) write_free(first, last);
      first = last;
      while (last < count && !costs_.is_free[last]) ++last;
      if (last > first) write_plain(first, last);
      first = last;
    }
    return std::move(written_);
  }

 private:
  void write_plain(std::uint32_t first, std::uint32_t last) {
    const std::uint64_t ns = plain_ns(first, last);
    written_.plain_ns += ns;
    written_.forked_ns += ns;
    if (!written_.regions.empty() && written_.regions.back().tracks.empty()) {
      written_.regions.back().last = last;
    } else {
      written_.regions.push_back({first, last, {}, scripts_++});
    }
  }

  [[nodiscard]] std::uint64_t plain_ns(std::uint32_t first, std::uint32_t last) const {
    std::uint64_t ns = 0;
    for (std::uint32_t i = first; i < last; ++i) ns += times_[i].ns;
    return ns;
  }

  void write_free(std::uint32_t first, std::uint32_t last) {
    const std::uint64_t forked = forked_ns(first, last) + kRegionNs;
    const std::uint64_t plain = plain_ns(first, last);
    if (forked >= plain && !wins_always_) return write_plain(first, last);
    CoreRegion region{first, last, {}};
    region.tracks.resize(tracks_in(first, last));
    if (region.tracks.size() < 2) return write_plain(first, last);
    mark_ends(region);
    for (std::uint32_t track = 0; track < region.tracks.size(); ++track) {
      write_track(track, &region);
    }
    for (std::uint32_t track = 0; track < region.tracks.size(); ++track) {
      for (CoreSegment& segment : region.tracks[track]) write_needs(region, track, &segment);
    }
    written_.plain_ns += plain;
    written_.forked_ns += forked;
    written_.launches += last - first;
    written_.tracks = std::max(written_.tracks, region.tracks.size());
    written_.regions.push_back(std::move(region));
  }

  [[nodiscard]] std::size_t tracks_in(std::uint32_t first, std::uint32_t last) const {
    const auto begin = forks_.branches.begin();
    return *std::max_element(begin + first, begin + last) + std::size_t{1};
  }

  // The time of the longest of its tracks, each launch after those that it waits for.
  [[nodiscard]] std::uint64_t forked_ns(std::uint32_t first, std::uint32_t last) {
    std::vector<std::uint64_t> ends(tracks_in(first, last));
    for (std::uint32_t i = first; i < last; ++i) {
      std::uint64_t& end = ends[forks_.branches[i]];
      for (const std::uint32_t on : forks_.waits[i]) {
        if (on >= first && is_other(i, on)) end = std::max(end, end_ns_[on] + costs_.branch_ns);
      }
      end += costs_.ns[i];
      end_ns_[i] = end;
    }
    return *std::max_element(ends.begin(), ends.end());
  }

  [[nodiscard]] bool is_other(std::uint32_t instruction, std::uint32_t on) const {
    return forks_.branches[on] != forks_.branches[instruction];
  }

  [[nodiscard]] bool waits_for_others(std::uint32_t instruction, const CoreRegion& region) const {
    const std::vector<std::uint32_t>& waits = forks_.waits[instruction];
    return std::any_of(waits.begin(), waits.end(), [&](std::uint32_t on) {
      return on >= region.first && is_other(instruction, on);
    });
  }

  void write_track(std::uint32_t track, CoreRegion* region) {
    std::vector<CoreSegment>& segments = region->tracks[track];
    bool begins = true;
    for (std::uint32_t i = region->first; i < region->last; ++i) {
      if (forks_.branches[i] != track) continue;
      const auto at = static_cast<std::uint32_t>(written_.order.size());
      if (begins || waits_for_others(i, *region)) segments.push_back({at, at, 0, 0, scripts_++});
      written_.order.push_back(i);
      segments.back().last = at + 1;
      segment_[i] = static_cast<std::uint32_t>(segments.size());
      begins = ends_segment_[i];
    }
    written_.segments += segments.size();
  }

  // Those that other tracks wait for.
  void mark_ends(const CoreRegion& region) {
    for (std::uint32_t i = region.first; i < region.last; ++i) {
      for (const std::uint32_t on : forks_.waits[i]) {
        if (on >= region.first && is_other(i, on)) ends_segment_[on] = true;
      }
    }
  }

  // Writes the needs of its first launch alone: the latest segment of each track that it waits for.
  void write_needs(const CoreRegion& region, std::uint32_t track, CoreSegment* segment) {
    segment->first_need = static_cast<std::uint32_t>(written_.needs.size());
    for (std::uint32_t other = 0; other < region.tracks.size(); ++other) {
      std::uint32_t latest = 0;
      for (const std::uint32_t on : forks_.waits[written_.order[segment->first]]) {
        if (on >= region.first && forks_.branches[on] == other && other != track) {
          latest = std::max(latest, segment_[on]);
        }
      }
      if (latest > 0) written_.needs.push_back({other, latest});
    }
    segment->last_need = static_cast<std::uint32_t>(written_.needs.size());
  }

  const GraphForks& forks_;
  const LaunchCosts& costs_;
  const std::vector<LaunchTimes::Launch>& times_;
  const bool wins_always_;
  CoreForks written_;
  std::uint32_t scripts_ = 0;
  std::vector<std::uint32_t> segment_;  // by instruction: of its track, from 1
  std::vector<std::uint64_t> end_ns_;   // likewise
  std::vector<bool> ends_segment_;
};

}  // namespace

bool may_fork_on_cores(const Plan& plan) {
  const device::Device* device = nullptr;
  std::size_t launches = 0;
  for (const Instruction& instruction : plan.instructions) {
    if (instruction.device == nullptr || !instruction.device->is_inline()) return false;
    if (device != nullptr && device != instruction.device) return false;
    device = instruction.device;
    launches += instruction.launch() != nullptr ? 1 : 0;
  }
  return launches > 1 && plan.rest == nullptr && !plan.is_block;
}

namespace {

CoreLaunches launches_of(const Plan& plan) {
  CoreLaunches launches{find_dependencies(plan), {}};
  for (const Instruction& instruction : plan.instructions) {
    launches.are_kernels.push_back(instruction.launch() != nullptr);
  }
  return launches;
}

std::optional<TimedCoreForks> plan_with(const CoreLaunches& launches, std::size_t tracks,
                                        const std::vector<LaunchTimes::Launch>& times,
                                        TeamLaunches team_launches, bool wins_always) {
  const LaunchCosts costs =
      costs_of(launches.are_kernels, times, team_launches, wins_always ? 0 : kWaitNs);
  std::optional<TimedForks> planned = plan_forks(launches.dependencies, tracks, costs);
  if (!planned) return std::nullopt;
  CoreForks forks = RegionWriter(planned->forks, costs, times, wins_always).write();
  if (forks.segments == 0) return std::nullopt;
  return TimedCoreForks{std::move(forks), std::move(planned->timeline)};
}

}  // namespace

std::optional<TimedCoreForks> plan_core_forks(const Plan& plan, std::size_t tracks,
                                              const std::vector<LaunchTimes::Launch>& times,
                                              bool wins_always) {
  return plan_core_forks(launches_of(plan), tracks, times, wins_always);
}

std::optional<TimedCoreForks> plan_core_forks(const CoreLaunches& launches, std::size_t tracks,
                                              const std::vector<LaunchTimes::Launch>& times,
                                              bool wins_always) {
  if (tracks < 2 || times.size() != launches.dependencies.size()) return std::nullopt;
  const auto plan_as = [&](TeamLaunches team_launches) {
    return plan_with(launches, tracks, times, team_launches, wins_always);
  };
  std::uint64_t plain_ns = 0;
  for (const LaunchTimes::Launch& launch : times) plain_ns += launch.ns;
  const auto wins = [&](const std::optional<TimedCoreForks>& made, std::uint64_t over_ns,
                        double least) {
    return made && (wins_always || static_cast<double>(made->forks.forked_ns) <=
                                       (1 - least) * static_cast<double>(over_ns));
  };
  std::optional<TimedCoreForks> best = plan_as(TeamLaunches::kAlone);
  if (!wins(best, plain_ns, kLeastWin)) best.reset();
  std::optional<TimedCoreForks> beside = plan_as(TeamLaunches::kBeside);
  if (wins(beside, best ? best->forks.forked_ns : plain_ns, kLeastWinBeside)) return beside;
  return best;
}

}  // namespace loci::planning
