#include "framework/runtime/issue.h"

#include <algorithm>
#include <set>
#include <utility>

namespace loci::runtime {
namespace {

bool is_queued(Space space) { return space != nullptr && !space->is_inline(); }

const PlanValue& value_of(const Plan& plan, ValueId id) {
  return plan.values[static_cast<std::size_t>(id)];
}

IssueKind copy_kind(Space from, Space to) {
  if (from != nullptr && to != nullptr) {
    const bool streams_reach = is_queued(from) && is_queued(to) && &from->plugin() == &to->plugin();
    return streams_reach ? IssueKind::kQueued : IssueKind::kHost;
  }
  return is_queued(from) || is_queued(to) ? IssueKind::kBlocking : IssueKind::kHost;
}

// What is issued first.
enum class Rank : std::uint8_t { kEnters, kBrings, kFeeds, kWorks, kWaits };

class Order {
 public:
  Order(const Plan& plan, const Dependencies& dependencies)
      : plan_(plan),
        dependencies_(dependencies),
        kinds_(dependencies.size()),
        dependents_(dependencies.size()),
        missing_(dependencies.size()) {
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      kinds_[i] = issue_kind(plan, plan.instructions[i]);
      missing_[i] = dependencies[i].size();
      for (const Dependency& dependency : dependencies[i]) {
        dependents_[dependency.on].push_back(static_cast<std::uint32_t>(i));
      }
    }
    find_feeders();
  }

  std::vector<std::uint32_t> run() {
    std::vector<std::uint32_t> order;
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      if (missing_[i] == 0) make_ready(static_cast<std::uint32_t>(i));
    }
    while (!ready_.empty()) {
      const std::uint32_t next = ready_.begin()->second;
      ready_.erase(ready_.begin());
      order.push_back(next);
      for (const std::uint32_t dependent : dependents_[next]) {
        if (--missing_[dependent] == 0) make_ready(dependent);
      }
    }
    return order;
  }

 private:
  void find_feeders() {
    feeds_.resize(kinds_.size());
    for (std::size_t i = kinds_.size(); i-- > 0;) {
      feeds_[i] = std::any_of(dependents_[i].begin(), dependents_[i].end(), [&](std::uint32_t d) {
        return kinds_[d] == IssueKind::kQueued || feeds_[d];
      });
    }
  }

  void make_ready(std::uint32_t instruction) { ready_.emplace(rank(instruction), instruction); }

  [[nodiscard]] Rank rank(std::uint32_t instruction) const {
    if (kinds_[instruction] == IssueKind::kQueued) return Rank::kEnters;
    const auto& list = dependencies_[instruction];
    const bool waits = std::any_of(list.begin(), list.end(), [&](const Dependency& dependency) {
      return kinds_[dependency.on] == IssueKind::kQueued;
    });
    if (waits) return Rank::kWaits;
    if (kinds_[instruction] == IssueKind::kBlocking) return Rank::kBrings;
    return feeds_[instruction] ? Rank::kFeeds : Rank::kWorks;
  }

  const Plan& plan_;
  const Dependencies& dependencies_;
  std::vector<IssueKind> kinds_;
  std::vector<std::vector<std::uint32_t>> dependents_;
  std::vector<std::size_t> missing_;  // dependencies that are not issued yet
  std::vector<bool> feeds_;           // whether work of a stream hangs on it
  std::set<std::pair<Rank, std::uint32_t>> ready_;
};

}  // namespace

IssueKind issue_kind(const Plan& plan, const Instruction& instruction) {
  if (instruction.kernel) {
    return instruction.device->is_inline() ? IssueKind::kHost : IssueKind::kQueued;
  }
  return copy_kind(value_of(plan, instruction.transfer.from).space,
                   value_of(plan, instruction.transfer.to).space);
}

device::Device* issue_device(const Plan& plan, const Instruction& instruction) {
  if (instruction.kernel) return instruction.device;
  const Space to = value_of(plan, instruction.transfer.to).space;
  return to != nullptr ? to : value_of(plan, instruction.transfer.from).space;
}

bool has_plain_instructions(const Plan& plan) {
  return std::all_of(plan.instructions.begin(), plan.instructions.end(),
                     [](const Instruction& instruction) {
                       return instruction.kernel ||
                              (instruction.inputs == std::vector{instruction.transfer.from} &&
                               instruction.outputs == std::vector{instruction.transfer.to});
                     });
}

std::vector<std::uint32_t> issue_order(const Plan& plan, const Dependencies& dependencies) {
  return Order(plan, dependencies).run();
}

}  // namespace loci::runtime
