#include "framework/execution/persistables.h"

#include <algorithm>

#include "framework/core/config.h"
#include "framework/core/log.h"
#include "framework/core/raise.h"
#include "framework/tensor/tensor_impl.h"
#include "framework/transfer/transfer.h"

namespace loci::execution {
namespace {

bool same_type(const Tensor& tensor, const ops::TensorType& type) {
  return tensor.dtype() == type.dtype && tensor.shape() == type.shape;
}

Tensor put(const PlanPersistable& persistable, const Tensor& tensor, tensor::ScopeImpl& scope) {
  core::log(core::Module::kMemory, core::Level::kDebug, "create variable {} {}{} at {}",
            persistable.name, dtype_name(tensor.dtype()), tensor.shape().to_string(),
            tensor.place().to_string());
  scope.make(persistable.name, tensor);
  return tensor;
}

// Copies the tensor to the variable's home where it is elsewhere; the transfer has that reason.
Tensor at_home(const PlanPersistable& persistable, const Tensor& tensor, const char* consumer,
               transfer::Reason reason) {
  return transfer::to_place(tensor, persistable.home,
                            {transfer::intern(persistable.name), "", consumer, reason});
}

Tensor pull(const Plan& plan, const PlanPersistable& persistable, const Tensor& tensor,
            tensor::ScopeImpl& scope, std::vector<Pulled>* pulled) {
  const auto [is_made, moves] = scope.history(persistable.name);
  if (persistable.is_constant && (is_made || moves > 0)) return tensor;
  const char* consumer = first_user(plan, persistable.value);
  const Tensor moved =
      at_home(persistable, tensor, consumer,
              moves == 0 ? transfer::Reason::kLoad : transfer::Reason::kPrepareData);
  core::log(core::Module::kMemory, core::Level::kDebug, "move variable {} from {} to {}",
            persistable.name, tensor.place().to_string(), persistable.home.to_string());
  scope.move(persistable.name, moved);
  if (moves == 1) pulled->push_back({persistable.name, tensor.place(), persistable.home, consumer});
  return moved;
}

Tensor initial_random_state() { return Tensor::from<std::uint64_t>({core::seed(), 0}, Shape{2}); }

}  // namespace

const char* first_user(const Plan& plan, ValueId value) {
  for (const Instruction& instruction : plan.instructions) {
    const std::vector<ValueId>& inputs = instruction.inputs;
    if (std::find(inputs.begin(), inputs.end(), value) == inputs.end()) continue;
    if (const TransferStep* step = instruction.transfer()) return step->labels.consumer;
    return transfer::intern(plan.operators[static_cast<std::size_t>(instruction.op)].op->name);
  }
  return "";
}

Tensor resolve_persistable(const Plan& plan, const PlanPersistable& persistable,
                           tensor::ScopeImpl& scope, std::vector<Pulled>* pulled) {
  const ops::TensorType& type = value_of(plan, persistable.value).type;
  Tensor tensor = scope.find(persistable.name);
  if (!tensor.defined() && persistable.name == program::kRandomStateName) {
    return put(persistable,
               at_home(persistable, initial_random_state(), "", transfer::Reason::kLoad), scope);
  }
  if (persistable.written_first && (!tensor.defined() || !same_type(tensor, type))) {
    return put(persistable,
               tensor::make_tensor(type.dtype, type.shape, persistable.home,
                                   transfer::intern(persistable.name)),
               scope);
  }
  if (!tensor.defined()) {
    core::raise(ErrorCode::kNotFound,
                "[executor] persistable variable '{}' is not in the scope; run the startup program "
                "or load weights first",
                persistable.name);
  }
  if (!same_type(tensor, type)) return {};
  if (tensor.place() == persistable.home) return tensor;
  return pull(plan, persistable, tensor, scope, pulled);
}

}  // namespace loci::execution
