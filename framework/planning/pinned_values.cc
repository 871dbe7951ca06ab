#include "framework/planning/pinned_values.h"

#include <set>

namespace loci::planning {

using execution::Instruction;
using execution::is_queued;
using execution::Plan;
using execution::PlanValue;
using execution::Space;
using execution::StorageKind;
using execution::TransferStep;
using execution::ValueId;

void pin_copied_values(Plan* plan) {
  const std::set<ValueId> handed_on(plan->live_outs.begin(), plan->live_outs.end());
  device::Device* pins_for = nullptr;
  const auto pin = [&](ValueId id, ValueId other_end) {
    PlanValue& value = plan->values[static_cast<std::size_t>(id)];
    const Space other = plan->values[static_cast<std::size_t>(other_end)].space;
    const bool copied = value.space == nullptr && is_queued(other);
    if (!copied || value.storage != StorageKind::kArena || handed_on.count(id) != 0) return;
    if (pins_for == nullptr) pins_for = other;
    value.pinned_for = pins_for;
  };
  for (const Instruction& instruction : plan->instructions) {
    const TransferStep* copy = instruction.transfer();
    if (copy == nullptr) continue;
    pin(copy->from, copy->to);
    pin(copy->to, copy->from);
  }
}

void unpin_values(Plan* plan) {
  for (PlanValue& value : plan->values) value.pinned_for = nullptr;
}

}  // namespace loci::planning
