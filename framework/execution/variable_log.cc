#include "framework/execution/variable_log.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "framework/core/log.h"

namespace loci::execution {
namespace {

constexpr std::size_t kNowhere = SIZE_MAX;

// The instructions in the order in which they are issued.
std::vector<std::size_t> instruction_order(const Plan& plan) {
  if (plan.schedule != nullptr) return {plan.schedule->order.begin(), plan.schedule->order.end()};
  std::vector<std::size_t> order(plan.instructions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

void log_value(const char* what, const PlanValue& value) {
  core::log(core::Module::kMemory, core::Level::kDebug, "{} variable {} {}{} at {}", what,
            value.name, dtype_name(value.type.dtype), value.type.shape.to_string(),
            value.space == nullptr ? Place().to_string() : value.space->place().to_string());
}

}  // namespace

VariableLog::VariableLog(const Plan& plan)
    : plan_(plan), created_(plan.instructions.size()), released_(plan.instructions.size() + 1) {
  std::vector<std::size_t> last(plan.values.size(), kNowhere);
  for (const std::size_t at : instruction_order(plan)) {
    const Instruction& instruction = plan.instructions[at];
    const auto use = [&](ValueId id) {
      if (id < 0 || value_of(plan, id).storage != StorageKind::kArena) return;
      std::size_t& known = last[static_cast<std::size_t>(id)];
      if (known == kNowhere) created_[at].push_back(id);
      known = at;
    };
    for (const ValueId id : instruction.inputs) use(id);
    for (const ValueId id : instruction.outputs) use(id);
  }
  for (const ValueId id : plan.live_outs) {
    std::size_t& at = last[static_cast<std::size_t>(id)];
    if (at != kNowhere) at = plan.instructions.size();
  }
  for (std::size_t id = 0; id < last.size(); ++id) {
    if (last[id] != kNowhere) released_[last[id]].push_back(static_cast<ValueId>(id));
  }
}

void VariableLog::before(std::size_t instruction) const {
  for (const ValueId id : created_[instruction]) log_value("create", value_of(plan_, id));
}

void VariableLog::after(std::size_t instruction) const {
  for (const ValueId id : released_[instruction]) log_value("release", value_of(plan_, id));
}

void VariableLog::finish() const { after(plan_.instructions.size()); }

}  // namespace loci::execution
