#include "framework/planning/enqueue_order.h"

#include <algorithm>
#include <set>
#include <utility>

namespace loci::planning {
namespace {

using execution::Instruction;
using execution::is_queued;
using execution::Plan;
using execution::PlanValue;
using execution::Space;
using execution::TransferStep;

EnqueueKind copy_kind(const PlanValue& source, const PlanValue& target) {
  const Space from = source.space;
  const Space to = target.space;
  if (from != nullptr && to != nullptr) {
    const bool streams_reach = is_queued(from) && is_queued(to) && to->can_wait_for(*from);
    return streams_reach ? EnqueueKind::kQueued : EnqueueKind::kHost;
  }
  if (!is_queued(from) && !is_queued(to)) return EnqueueKind::kHost;
  const PlanValue& host_end = from == nullptr ? source : target;
  return host_end.pinned_for != nullptr ? EnqueueKind::kQueued : EnqueueKind::kBlocking;
}

// Instructions of a lower rank are issued first.
enum class Rank : std::uint8_t { kEnters, kBrings, kFeeds, kWorks, kWaitsAndFeeds, kWaits };

class Order {
 public:
  Order(const Plan& plan, const Dependencies& dependencies)
      : dependencies_(dependencies),
        kinds_(dependencies.size()),
        dependents_(dependencies.size()),
        missing_(dependencies.size()),
        ranks_(dependencies.size()),
        awaited_(dependencies.size()) {
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      kinds_[i] = enqueue_kind(plan, plan.instructions[i]);
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
      if (kinds_[next] != EnqueueKind::kQueued) await_needs(next);
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
        return kinds_[d] == EnqueueKind::kQueued || feeds_[d];
      });
    }
  }

  void make_ready(std::uint32_t instruction) {
    ranks_[instruction] = rank(instruction);
    ready_.emplace(ranks_[instruction], instruction);
  }

  // The host need not wait again for what it has waited for, with all that came before it.
  void await_needs(std::uint32_t instruction) {
    std::vector<std::uint32_t> ended{instruction};
    while (!ended.empty()) {
      const std::uint32_t last = ended.back();
      ended.pop_back();
      for (const Dependency& dependency : dependencies_[last]) {
        if (awaited_[dependency.on]) continue;
        awaited_[dependency.on] = true;
        ended.push_back(dependency.on);
        rank_dependents_again(dependency.on);
      }
    }
  }

  void rank_dependents_again(std::uint32_t instruction) {
    for (const std::uint32_t dependent : dependents_[instruction]) {
      if (ready_.erase({ranks_[dependent], dependent}) != 0) make_ready(dependent);
    }
  }

  [[nodiscard]] Rank rank(std::uint32_t instruction) const {
    const bool enters = kinds_[instruction] == EnqueueKind::kQueued;
    if (makes_host_wait(instruction, enters)) {
      return feeds_[instruction] || enters ? Rank::kWaitsAndFeeds : Rank::kWaits;
    }
    if (enters) return Rank::kEnters;
    if (kinds_[instruction] == EnqueueKind::kBlocking) return Rank::kBrings;
    return feeds_[instruction] ? Rank::kFeeds : Rank::kWorks;
  }

  [[nodiscard]] bool makes_host_wait(std::uint32_t instruction, bool enters) const {
    const auto& list = dependencies_[instruction];
    return std::any_of(list.begin(), list.end(), [&](const Dependency& dependency) {
      const bool queued = kinds_[dependency.on] == EnqueueKind::kQueued;
      return queued && !awaited_[dependency.on] && (dependency.host_value || !enters);
    });
  }

  const Dependencies& dependencies_;
  std::vector<EnqueueKind> kinds_;
  std::vector<std::vector<std::uint32_t>> dependents_;
  std::vector<std::size_t> missing_;  // dependencies that are not issued yet
  std::vector<bool> feeds_;           // whether work of a stream hangs on it
  std::vector<Rank> ranks_;           // of those that are ready
  std::vector<bool> awaited_;         // whether the host knows that it has ended
  std::set<std::pair<Rank, std::uint32_t>> ready_;
};

}  // namespace

EnqueueKind enqueue_kind(const Plan& plan, const Instruction& instruction) {
  if (const TransferStep* copy = instruction.transfer()) {
    return copy_kind(value_of(plan, copy->from), value_of(plan, copy->to));
  }
  if (instruction.control() != nullptr) return EnqueueKind::kHost;
  return instruction.device->is_inline() ? EnqueueKind::kHost : EnqueueKind::kQueued;
}

device::Device* enqueue_device(const Plan& plan, const Instruction& instruction) {
  const TransferStep* copy = instruction.transfer();
  if (copy == nullptr) return instruction.device;
  const Space to = value_of(plan, copy->to).space;
  return to != nullptr ? to : value_of(plan, copy->from).space;
}

std::vector<std::uint32_t> enqueue_order(const Plan& plan, const Dependencies& dependencies) {
  return Order(plan, dependencies).run();
}

}  // namespace loci::planning
