#include "framework/execution/staged_values.h"

#include <algorithm>
#include <unordered_map>

#include "framework/execution/frame.h"
#include "framework/transfer/transfer.h"

namespace loci::execution {
namespace {

// Returns true if each run binds the value to other memory.
bool is_bound_anew(const PlanValue& value) {
  switch (value.storage) {
    case StorageKind::kFeed:
    case StorageKind::kFetch:
    case StorageKind::kEarlier:
    case StorageKind::kArgument: return value.bytes > 0;
    case StorageKind::kArena:
    case StorageKind::kScope:
    case StorageKind::kPacked:
    case StorageKind::kReplica: break;
  }
  return false;
}

}  // namespace

StagedValues::StagedValues(const Plan& plan, std::size_t first, std::size_t last) : plan_(plan) {
  std::unordered_map<ValueId, std::size_t> known;  // in staged_
  const auto staged = [&](ValueId value, device::Device* device) -> Staged* {
    if (value < 0 || !is_bound_anew(value_of(plan, value))) return nullptr;
    if (value_of(plan, value).space != space_of(device)) return nullptr;
    const auto [entry, is_new] = known.emplace(value, staged_.size());
    if (is_new) staged_.push_back({value, false, false, {}});
    return &staged_[entry->second];
  };
  for (std::size_t i = first; i < last; ++i) {
    const Instruction& instruction = plan.instructions[i];
    for (std::size_t input = 0; input < instruction.inputs.size(); ++input) {
      if (!instruction.reads(input)) continue;
      Staged* read = staged(instruction.inputs[input], instruction.device);
      // A value that the range itself has written before lies there already.
      if (read != nullptr) read->is_read = read->is_read || !read->is_written;
    }
    for (const ValueId output : instruction.outputs) {
      if (Staged* written = staged(output, instruction.device)) written->is_written = true;
    }
  }
  for (Staged& each : staged_) {
    const PlanValue& value = value_of(plan, each.value);
    each.memory = memory::device_allocator(*value.space)
                      .allocate(value.bytes, value.space->default_stream(), value.name);
    bytes_ += value.bytes;
  }
}

bool StagedValues::has(ValueId value) const {
  return std::any_of(staged_.begin(), staged_.end(),
                     [value](const Staged& each) { return each.value == value; });
}

StagedValues::Binding::Binding(const StagedValues& staged, Frame& frame)
    : staged_(staged), frame_(frame) {
  for (const Staged& each : staged_.staged_) {
    bound_.push_back(frame.data(each.value));
    frame.bind(each.value, each.memory.data());
  }
}

StagedValues::Binding::~Binding() {
  for (std::size_t i = 0; i < bound_.size(); ++i) {
    frame_.bind(staged_.staged_[i].value, bound_[i]);
  }
}

void StagedValues::bring(const Frame& frame) const {
  for (const Staged& each : staged_) {
    if (each.is_read) copy(each, frame.data(each.value), each.memory.data());
  }
}

void StagedValues::take_back(const Frame& frame) const {
  for (const Staged& each : staged_) {
    if (each.is_written) copy(each, each.memory.data(), frame.data(each.value));
  }
}

void StagedValues::copy(const Staged& staged, const void* from, void* to) const {
  const PlanValue& value = value_of(plan_, staged.value);
  transfer::enqueue_copy(
      {value.space, const_cast<void*>(from)}, {value.space, to}, value.bytes,
      {value.name, "", "graph", transfer::Reason::kPrepareData, value.type.dtype},
      value.space->default_stream());
}

}  // namespace loci::execution
