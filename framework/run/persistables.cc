#include "framework/run/persistables.h"

#include "framework/core/config.h"
#include "framework/core/log.h"
#include "framework/core/raise.h"
#include "framework/tensor/tensor_impl.h"
#include "framework/transfer/transfer.h"

namespace loci::runtime {
namespace {

bool same_type(const Tensor& tensor, const ops::TensorType& type) {
  return tensor.dtype() == type.dtype && tensor.shape() == type.shape;
}

Tensor put(const PlanPersistable& persistable, const Tensor& tensor, tensor::ScopeImpl& scope) {
  core::log(core::Module::kMemory, core::Level::kDebug, "create variable {} {}{} at {}",
            persistable.name, dtype_name(tensor.dtype()), tensor.shape().to_string(),
            tensor.place().to_string());
  scope.put(persistable.name, tensor);
  return tensor;
}

Tensor move_home(const PlanPersistable& persistable, const Tensor& tensor) {
  const char* name = transfer::intern(persistable.name);
  return transfer::to_place(tensor, persistable.home, {name, "", "", transfer::Reason::kLoad});
}

Tensor initial_random_state() { return Tensor::from<std::uint64_t>({core::seed(), 0}, Shape{2}); }

}  // namespace

Tensor resolve_persistable(const PlanPersistable& persistable, const PlanValue& value,
                           tensor::ScopeImpl& scope) {
  Tensor tensor = scope.find(persistable.name);
  if (!tensor.defined() && persistable.name == program::kRandomStateName) {
    return put(persistable, move_home(persistable, initial_random_state()), scope);
  }
  if (persistable.written_first && (!tensor.defined() || !same_type(tensor, value.type))) {
    return put(persistable,
               tensor::make_tensor(value.type.dtype, value.type.shape, persistable.home,
                                   transfer::intern(persistable.name)),
               scope);
  }
  if (!tensor.defined()) {
    core::raise(ErrorCode::kNotFound,
                "[executor] persistable variable '{}' is not in the scope; run the startup program "
                "or load weights first",
                persistable.name);
  }
  if (!same_type(tensor, value.type)) return {};
  if (tensor.place() == persistable.home) return tensor;
  return put(persistable, move_home(persistable, tensor), scope);
}

}  // namespace loci::runtime
