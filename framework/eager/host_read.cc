#include "framework/eager/host_read.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "framework/eager/call_scope.h"
#include "framework/eager/placing.h"
#include "framework/eager/thread_state.h"
#include "framework/eager/work_recorder.h"
#include "framework/profiler/parts.h"
#include "framework/tensor/tensor_impl.h"
#include "framework/transfer/input_reason.h"
#include "framework/transfer/wait_label.h"

namespace loci::eager {
namespace {

transfer::Labels labels_of(const Tensor& tensor, const char* variable, const char* op) {
  transfer::Labels labels;
  labels.variable = tensor.name().empty() ? variable : transfer::intern(tensor.name());
  labels.consumer = op;
  labels.reason = transfer::input_reason({.is_read_on_host = true});
  labels.dtype = tensor.dtype();
  return labels;
}

}  // namespace

void require_no_capture(const Tensor& tensor, const char* variable, const char* op) {
  const std::shared_ptr<WorkRecorder> recorder = recorder_of(thread_state());
  if (recorder == nullptr) [[likely]]
    return tensor::note_read(*tensor.impl(), op, /*decides=*/true);
  const std::string action =
      fmt::format("[{}] reads '{}' on the host", op,
                  tensor.name().empty() ? std::string(variable) : tensor.name());
  recorder->refuse_wait(action.c_str());
}

Tensor read_before_replay(const Tensor& tensor) {
  const tensor::TensorImpl& impl = *tensor.impl();
  tensor::await_for_user(impl, "to_host() or to_vector()");
  Tensor there = tensor::make_tensor(impl.dtype(), impl.shape(), Place(), "tensor");
  transfer::Labels labels;
  labels.reason = transfer::Reason::kExplicit;
  labels.dtype = impl.dtype();
  const transfer::Permit permit =
      transfer::permit({impl.storage()->device, nullptr}, {}, impl.bytes(), labels);
  transfer::copy({impl.storage()->device, impl.data()}, {nullptr, tensor::settled_data(there)},
                 impl.bytes(), labels, /*stream=*/nullptr, /*wait=*/true, permit);
  return there;
}

void await_elements(const tensor::TensorImpl& impl) {
  tensor::Storage& storage = *impl.storage();
  if (storage.uses.has_ended(/*writers_only=*/true)) return storage.uses.wait(true);
  const device::Device& device = storage.device == nullptr ? host_device() : *storage.device;
  const profiler::Scope scope(transfer::wait_label(device));
  storage.uses.wait(/*writers_only=*/true);
}

Tensor read_on_host(const Tensor& tensor, const char* variable, const char* op) {
  tensor::TensorImpl& impl = *tensor.impl();
  tensor::require_elements(impl, op);
  require_no_capture(tensor, variable, op);
  device::Device* device = impl.storage()->device;
  if (device == nullptr) {
    await_elements(impl);
    return tensor;
  }
  const transfer::Labels labels = labels_of(tensor, variable, op);
  const transfer::Permit permit = transfer::permit({device, nullptr}, {}, impl.bytes(), labels);
  std::optional<CallScope> apart;
  if (CallScope::innermost() == nullptr) apart.emplace(op);
  if (CallScope* around = CallScope::innermost()) around->keep();
  const profiler::Scope compute(label_of(profiler::Part::kCompute), 0, profiler::Level::kDetail);
  await_elements(impl);
  Tensor there = tensor::make_tensor(impl.dtype(), impl.shape(), Place(), labels.variable);
  transfer::copy({device, impl.data()}, {nullptr, tensor::settled_data(there)}, impl.bytes(),
                 labels, /*stream=*/nullptr, /*wait=*/true, permit);
  return there;
}

}  // namespace loci::eager
