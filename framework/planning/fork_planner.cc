#include "framework/planning/fork_planner.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "framework/device_graph/capturer.h"
#include "framework/execution/capture_problems.h"
#include "framework/planning/launch_time.h"

namespace loci::planning {
namespace {

using execution::GraphForks;
using execution::Instruction;
using execution::Plan;

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

using Devices = std::set<device::Device*>;

bool has_forks(device::Device& device) {
  const auto capturer = core::in_context<device_graph::Capturers>().of(device).capturer;
  return capturer != nullptr && capturer->has_forks();
}

Devices queued_devices(const Plan& plan) {
  Devices devices;
  for (const Instruction& instruction : plan.instructions) {
    if (instruction.device != nullptr && !instruction.device->is_inline()) {
      devices.insert(instruction.device);
    }
  }
  return devices;
}

// Gives the costs of launches, and which ones graphs of those devices may do beside each other.
LaunchCosts costs_of(const Plan& plan, const Devices& forking) {
  LaunchCosts costs;
  costs.branch_ns = kBranchNs;
  for (std::uint32_t now = 0; now < plan.instructions.size(); ++now) {
    const Instruction& instruction = plan.instructions[now];
    const bool is_free = instruction.launch() != nullptr &&
                         forking.count(instruction.device) != 0 &&
                         record_refusal(plan, now).empty();
    costs.is_free.push_back(is_free);
    costs.ns.push_back(is_free ? launch_ns(plan, instruction) : kLeastLaunchNs);
  }
  return costs;
}

// A track has launches that follow each other, in their order.
struct Track {
  Clock clock;                 // what its next instruction comes after
  std::uint32_t tail = kNone;  // what that one waits for: the latest of it or of all
  std::uint64_t end_ns = 0;
};

class ForkPlanner {
 public:
  // `devices`, of each launch; none if it is one.
  ForkPlanner(const Dependencies& dependencies, std::vector<const device::Device*> devices,
              std::size_t branches, const LaunchCosts& costs)
      : devices_(std::move(devices)),
        branches_(branches),
        costs_(costs),
        dependencies_(dependencies),
        timeline_(Timeline::concurrent(dependencies.size())),
        after_(dependencies.size()),
        end_ns_(dependencies.size()),
        chain_ns_(dependencies.size()),
        tracks_(1) {
    forks_.waits.resize(dependencies.size());
    forks_.branches.resize(dependencies.size());
    find_chains();
  }

  std::optional<TimedForks> run() {
    for (std::uint32_t now = 0; now < forks_.waits.size(); ++now) {
      // A graph is of one device, and begins when that before it has ended.
      if (now > 0 && !devices_.empty() && devices_[now] != devices_[now - 1]) join_all();
      is_free(now) ? place(now) : place_alone(now);
    }
    if (!overlaps_) return std::nullopt;
    return TimedForks{std::move(forks_), std::move(timeline_)};
  }

 private:
  // How long each takes with the longest chain of those that wait for it last.
  void find_chains() {
    for (auto now = static_cast<std::uint32_t>(chain_ns_.size()); now-- > 0;) {
      if (!is_free(now)) continue;
      chain_ns_[now] += costs_.ns[now];
      if (dependencies_[now].empty()) continue;
      std::uint64_t& behind = chain_ns_[dependencies_[now].back().on];
      behind = std::max(behind, chain_ns_[now]);
    }
  }

  // Returns true if it is a launch that a graph may do beside others.
  [[nodiscard]] bool is_free(std::uint32_t now) const { return costs_.is_free[now]; }

  void place(std::uint32_t now) {
    const std::size_t number = choose_track(now);
    std::vector<std::uint32_t> needs{tracks_[number].tail};
    for (const Dependency& dependency : dependencies_[now]) needs.push_back(dependency.on);
    const std::uint64_t begin = begin_ns(now, number);
    wait(now, number, std::move(needs));
    enter(now, number, begin + costs_.ns[now]);
  }

  // Behind all before it, and before all behind it.
  void place_alone(std::uint32_t now) {
    std::vector<std::uint32_t> needs;
    std::uint64_t begin = 0;
    for (const Track& track : tracks_) {
      needs.push_back(track.tail);
      begin = std::max(begin, track.end_ns);
    }
    wait(now, 0, std::move(needs));
    enter(now, 0, begin + costs_.ns[now]);
    for (Track& track : tracks_) {
      track.tail = now;
      track.end_ns = end_ns_[now];
    }
    alone_ = now;
  }

  void join_all() {
    Track whole;
    for (const Track& track : tracks_) {
      join(&whole.clock, track.clock);
      whole.end_ns = std::max(whole.end_ns, track.end_ns);
    }
    std::fill(tracks_.begin(), tracks_.end(), whole);
    begun_ = whole;
    alone_ = kNone;
  }

  // A later one often knows of the earlier ones.
  void wait(std::uint32_t now, std::size_t number, std::vector<std::uint32_t> needs) {
    std::erase(needs, kNone);
    std::sort(needs.begin(), needs.end(),
              [this](std::uint32_t a, std::uint32_t b) { return sum(after_[a]) > sum(after_[b]); });
    Clock& clock = tracks_[number].clock;
    // It waits for those before it in its own track like for anything else.
    clock = begun_.clock;
    for (const std::uint32_t on : needs) {
      if (knows(clock, on)) continue;
      forks_.waits[now].push_back(on);
      join(&clock, after_[on]);
    }
    std::sort(forks_.waits[now].begin(), forks_.waits[now].end());
  }

  void enter(std::uint32_t now, std::size_t number, std::uint64_t end_ns) {
    Track& track = tracks_[number];
    overlaps_ = overlaps_ || sum(track.clock) < now;
    after_[now] = timeline_.place(now, number, track.clock);
    track.clock = after_[now];
    track.tail = now;
    track.end_ns = end_ns_[now] = end_ns;
    forks_.branches[now] = static_cast<std::uint32_t>(number);
  }

  // Grows from an instruction to any that comes after it.
  static std::uint64_t sum(const Clock& clock) {
    std::uint64_t total = 0;
    for (const std::uint32_t time : clock) total += time;
    return total;
  }

  [[nodiscard]] bool knows(const Clock& clock, std::uint32_t instruction) const {
    const std::size_t track = timeline_.track(instruction);
    return track < clock.size() && clock[track] >= timeline_.time(instruction);
  }

  // When it would begin in that track.
  [[nodiscard]] std::uint64_t begin_ns(std::uint32_t now, std::size_t number) const {
    std::uint64_t begin = tracks_[number].end_ns;
    for (const Dependency& dependency : dependencies_[now]) {
      if (knows(begun_.clock, dependency.on)) continue;
      const bool is_own = timeline_.track(dependency.on) == number;
      begin = std::max(begin, end_ns_[dependency.on] + (is_own ? 0 : costs_.branch_ns));
    }
    return begin;
  }

  // In which there is something that it waits for.
  [[nodiscard]] std::set<std::size_t> tracks_of_needs(std::uint32_t now) const {
    std::set<std::size_t> tracks;
    for (const Dependency& dependency : dependencies_[now]) {
      if (!knows(begun_.clock, dependency.on)) tracks.insert(timeline_.track(dependency.on));
    }
    if (tracks.empty()) tracks.insert(0);
    return tracks;
  }

  // The one in which it begins first, if one that needs another join is that much earlier. What
  // takes no longer than fork and join do goes on where something does that it waits for.
  std::size_t choose_track(std::uint32_t now) {
    Clock known = alone_ == kNone ? begun_.clock : after_[alone_];
    for (const Dependency& dependency : dependencies_[now]) join(&known, after_[dependency.on]);
    const auto is_idle = [&](const Track& track) {
      return track.tail == kNone || knows(known, track.tail);
    };
    if (tracks_.size() < branches_ && std::none_of(tracks_.begin() + 1, tracks_.end(), is_idle)) {
      tracks_.push_back({begun_.clock, alone_, alone_ == kNone ? begun_.end_ns : end_ns_[alone_]});
    }
    std::size_t best = 0;
    std::pair<std::uint64_t, bool> least{std::numeric_limits<std::uint64_t>::max(), true};
    const bool may_part = chain_ns_[now] > 2 * costs_.branch_ns;
    const std::set<std::size_t> near = tracks_of_needs(now);
    for (std::size_t number = 0; number < tracks_.size(); ++number) {
      if (!may_part && near.count(number) == 0) continue;
      const bool continues = is_tail_of_need(now, tracks_[number].tail);
      const bool is_fork = !continues && is_idle(tracks_[number]);
      const std::pair cost{begin_ns(now, number) + (is_fork ? costs_.branch_ns : 0), !continues};
      if (cost >= least) continue;
      least = cost;
      best = number;
    }
    return best;
  }

  [[nodiscard]] bool is_tail_of_need(std::uint32_t now, std::uint32_t tail) const {
    const auto& list = dependencies_[now];
    return std::any_of(list.begin(), list.end(),
                       [tail](const Dependency& dependency) { return dependency.on == tail; });
  }

  const std::vector<const device::Device*> devices_;
  const std::size_t branches_;
  const LaunchCosts& costs_;
  const Dependencies& dependencies_;
  GraphForks forks_;
  Timeline timeline_;
  std::vector<Clock> after_;  // by instruction: what is known when it has ended
  std::vector<std::uint64_t> end_ns_;
  std::vector<std::uint64_t> chain_ns_;  // likewise, see find_chains()
  std::vector<Track> tracks_;
  Track begun_;                  // as all were when the latest device's work began
  std::uint32_t alone_ = kNone;  // the latest instruction since that all wait for
  bool overlaps_ = false;        // some instruction does not come after all that are before it
};

std::vector<const device::Device*> devices_of(const Plan& plan) {
  std::vector<const device::Device*> devices;
  for (const Instruction& instruction : plan.instructions) devices.push_back(instruction.device);
  return devices;
}

}  // namespace

// A capturer is loaded only where there is something to fork.
std::optional<TimedForks> plan_forks(const Plan& plan, std::size_t branches) {
  if (branches < 2) return std::nullopt;
  Devices devices = queued_devices(plan);
  const Dependencies dependencies = find_dependencies(plan);
  const auto plan_with = [&] {
    return ForkPlanner(dependencies, devices_of(plan), branches, costs_of(plan, devices)).run();
  };
  std::optional<TimedForks> planned = plan_with();
  if (!planned) return std::nullopt;
  const auto are_chains = std::erase_if(devices, [](auto* device) { return !has_forks(*device); });
  return are_chains == 0 ? planned : plan_with();
}

std::optional<TimedForks> plan_forks(const Dependencies& dependencies, std::size_t branches,
                                     const LaunchCosts& costs) {
  return ForkPlanner(dependencies, {}, branches, costs).run();
}

}  // namespace loci::planning
