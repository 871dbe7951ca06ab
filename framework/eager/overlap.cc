#include "framework/eager/overlap.h"

#include <algorithm>

#include "framework/core/raise.h"
#include "framework/eager/node.h"
#include "framework/eager/relocation.h"

namespace loci::eager {
namespace {

using tensor::Storage;
using tensor::TensorImpl;

// Where memory of the two may be the same. What is imported may be memory of anything else.
bool may_share(const Storage& a, const Storage& b) {
  if (&a == &b) return true;
  return (a.owner != nullptr || b.owner != nullptr) && a.device == b.device && a.data != nullptr &&
         b.data != nullptr;
}

// How far the first byte of `b` is behind that of `a`, without an address: memory that is left to
// its first writer may not be there yet.
std::int64_t distance(const TensorImpl& a, const TensorImpl& b) {
  const auto offsets = static_cast<std::int64_t>(b.offset() - a.offset());
  if (a.storage() == b.storage()) return offsets;
  return static_cast<const char*>(b.storage()->data) - static_cast<const char*>(a.storage()->data) +
         offsets;
}

bool share_bytes(const TensorImpl& a, const TensorImpl& b) {
  if (!may_share(*a.storage(), *b.storage())) return false;
  const std::int64_t behind = distance(a, b);
  return behind < static_cast<std::int64_t>(a.bytes()) &&
         -behind < static_cast<std::int64_t>(b.bytes());
}

[[noreturn]] void refuse_states(const CallPlan& plan, std::uint32_t one, std::uint32_t other) {
  const std::vector<ops::InputSlot>& slots = plan.schema->inputs();
  core::raise(
      ErrorCode::kInvalidArgument,
      "[{}] changes '{}' and '{}' in place, which share memory; give each memory of its own",
      plan.schema->name(), slots[one].name, slots[other].name);
}

std::size_t index_of(const CallPlan& plan, std::size_t input) {
  return static_cast<std::size_t>(plan.inputs[input].value);
}

bool is_state(const CallPlan& plan, std::size_t input) {
  return std::any_of(plan.outputs.begin(), plan.outputs.end(),
                     [input](const PlannedOutput& output) {
                       return output.updates == static_cast<std::int32_t>(input);
                     });
}

}  // namespace

bool is_same_view(const TensorImpl& a, const TensorImpl& b) {
  return a.bytes() == b.bytes() && may_share(*a.storage(), *b.storage()) && distance(a, b) == 0;
}

bool overlap_partly(const TensorImpl& a, const TensorImpl& b) {
  return share_bytes(a, b) && !is_same_view(a, b);
}

ValuesApart::ValuesApart(const CallPlan& plan, const TensorRef* values, const void* site) {
  for (const PlannedInput& input : plan.inputs) {
    if (input.value >= 0) values_.push_back(values[values_.size()]);
  }
  copies_.reserve(values_.size());  // which values_ refers to
  for (const PlannedOutput& output : plan.outputs) {
    if (output.updates >= 0) keep_apart(plan, static_cast<std::size_t>(output.updates), site);
  }
}

void ValuesApart::keep_apart(const CallPlan& plan, std::size_t state, const void* site) {
  const TensorImpl& changed = *values_[index_of(plan, state)]->impl();
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    const PlannedInput& input = plan.inputs[i];
    if (i == state || input.value < 0 || input.residence == ops::Residence::kMetadata) continue;
    const Tensor& value = values_[index_of(plan, i)];
    if (!share_bytes(*value.impl(), changed)) [[likely]]
      continue;
    if (is_state(plan, i)) refuse_states(plan, plan.inputs[state].slot, input.slot);
    // One that is recorded keeps its way to the gradient.
    const Tensor copy = duplicate(value, site);
    copies_.push_back(requires_grad(value) ? attached(copy, edge_of(value)) : copy);
    values_[index_of(plan, i)] = copies_.back();
  }
}

}  // namespace loci::eager
