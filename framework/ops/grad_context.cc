#include "framework/ops/grad_context.h"

#include "framework/core/raise.h"

namespace loci::ops {

std::vector<Value> emit_op(const OpCall<Value>& call) {
  for (const OpCall<Value>::Slot& slot : call.inputs) {
    if (!slot.values.empty()) return slot.values.front().emitter->emit(call);
  }
  core::raise(ErrorCode::kInternal,
              "[{}] a gradient calls it without inputs; ask the emitter of a value to emit it",
              call.type);
}

namespace {

std::size_t known(int index, std::string_view name, const OpSchema& schema) {
  if (index < 0) {
    core::raise(ErrorCode::kInternal, "[{}] its gradient asks for the slot '{}', which it lacks",
                schema.name(), name);
  }
  return static_cast<std::size_t>(index);
}

}  // namespace

std::size_t SlotGradContext::input_slot(std::string_view name) const {
  return known(schema_.input_index(name), name, schema_);
}

std::size_t SlotGradContext::output_slot(std::string_view name) const {
  return known(schema_.output_index(name), name, schema_);
}

}  // namespace loci::ops
