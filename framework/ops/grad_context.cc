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

}  // namespace loci::ops
