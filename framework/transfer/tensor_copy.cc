#include "framework/core/raise.h"
#include "framework/device/device_manager.h"
#include "framework/tensor/tensor_impl.h"
#include "framework/transfer/transfer.h"

namespace loci::transfer {
namespace {

End end_of(const Tensor& tensor) {
  const Place& place = tensor.place();
  device::Device* device =
      place.is_host() ? nullptr : &device::DeviceManager::instance().get(place);
  return {device, tensor::settled_data(tensor)};
}

void check_same_form(const Tensor& from, const Tensor& to) {
  if (from.dtype() == to.dtype() && from.shape() == to.shape()) return;
  core::raise(
      ErrorCode::kInvalidArgument,
      "[transfer] a {} {} tensor cannot be copied into one of {} {}; cast or reshape it first",
      dtype_name(from.dtype()), from.shape().to_string(), dtype_name(to.dtype()),
      to.shape().to_string());
}

}  // namespace

Tensor to_place(const Tensor& tensor, const Place& place, const Labels& labels) {
  const Place target =
      place.is_host() ? place : device::DeviceManager::instance().resolve(place, tensor.place());
  if (tensor.place() == target) return tensor;
  Tensor copy = tensor::make_tensor(tensor.dtype(), tensor.shape(), target,
                                    *labels.variable == '\0' ? "tensor" : labels.variable);
  copy_tensor(tensor, copy, labels);
  return copy;
}

void copy_tensor(const Tensor& from, const Tensor& to, const Labels& labels) {
  check_same_form(from, to);
  const End source = end_of(from);
  const End target = end_of(to);
  if (source.device == target.device && source.data == target.data) return;
  const bool is_local = source.device == target.device;
  Labels typed = labels;
  typed.dtype = from.dtype();
  copy(source, target, from.bytes(), typed, /*stream=*/nullptr, /*wait=*/!is_local);
}

}  // namespace loci::transfer
