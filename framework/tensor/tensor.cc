#include <cstring>
#include <loci/tensor.hpp>
#include <utility>

#include "framework/core/raise.h"
#include "framework/tensor/tensor_impl.h"

namespace loci {
namespace {

const tensor::TensorImpl& checked(const std::shared_ptr<tensor::TensorImpl>& impl) {
  if (impl == nullptr) [[unlikely]] {
    core::raise(ErrorCode::kInvalidArgument,
                "[tensor] this tensor is undefined; make one with Tensor::empty() or from()");
  }
  return *impl;
}

}  // namespace

namespace tensor {

namespace {

// Memory of a lost device is refused: its address may be one of the device that was reopened.
void require_reach(const TensorImpl& impl) {
  const device::Device* device = impl.storage()->device;
  if (device != nullptr && device->loss().is_lost()) device->require_reach();
}

void* data_for_user(const Tensor& tensor, const char* reader) {
  const TensorImpl& impl = checked(tensor.impl());
  require_reach(impl);
  await_for_user(impl, reader);
  return impl.data();
}

}  // namespace

void* settled_data(const Tensor& tensor) {
  const TensorImpl& impl = checked(tensor.impl());
  require_elements(impl, "raw_data()");
  require_reach(impl);
  impl.storage()->uses.wait();
  return impl.data();
}

}  // namespace tensor

inline namespace v0 {

Tensor::Tensor(std::shared_ptr<tensor::TensorImpl> impl) : impl_(std::move(impl)) {}

Tensor Tensor::generate(const Shape& shape, DType dtype,
                        const std::function<void(void* elements)>& write) {
  Tensor made = tensor::make_tensor(dtype, shape, Place(), "tensor");
  if (made.bytes() != 0) write(tensor::settled_data(made));
  return made;
}

Tensor Tensor::from_bytes(const void* elements, const Shape& shape, DType dtype) {
  Tensor made = tensor::make_tensor(dtype, shape, Place(), "tensor");
  const std::size_t bytes = made.bytes();
  if (bytes == 0) return made;
  if (elements == nullptr) {
    core::raise(ErrorCode::kInvalidArgument,
                "[tensor] from_bytes() got a null pointer for the elements of {}",
                shape.to_string());
  }
  std::memcpy(tensor::settled_data(made), elements, bytes);
  return made;
}

DType Tensor::dtype() const { return checked(impl_).dtype(); }
const Shape& Tensor::shape() const { return checked(impl_).shape(); }
const Place& Tensor::place() const { return checked(impl_).place(); }
std::int64_t Tensor::numel() const { return shape().numel(); }
std::size_t Tensor::bytes() const { return static_cast<std::size_t>(checked(impl_).bytes()); }

void* Tensor::raw_data() const {
  void* data = tensor::data_for_user(*this, "raw_data()");
  impl_->storage()->is_exposed.store(true, std::memory_order_release);
  return data;
}

const void* Tensor::read_data() const { return tensor::data_for_user(*this, "read_data()"); }

const Tensor& Tensor::set_name(const std::string& name) const {
  checked(impl_);
  impl_->set_name(name);
  return *this;
}

const std::string& Tensor::name() const { return checked(impl_).name(); }

void Tensor::check_host(DType expected) const {
  const tensor::TensorImpl& impl = checked(impl_);
  if (impl.dtype() != expected) [[unlikely]] {
    core::raise(ErrorCode::kInvalidArgument,
                "[tensor] asked for elements of {}, but this tensor is {} {}; use its own type, or "
                "cast it first",
                dtype_name(expected), dtype_name(impl.dtype()), impl.shape().to_string());
  }
  if (!impl.place().is_host()) [[unlikely]] {
    core::raise(ErrorCode::kInvalidArgument,
                "[tensor] the {} {} tensor lies at {}, where the host cannot read it; copy it with "
                "to(\"cpu\")",
                dtype_name(impl.dtype()), impl.shape().to_string(), impl.place().to_string());
  }
}

void check_element_count(std::size_t count, const Shape& shape) {
  const std::int64_t numel = shape.numel();
  if (count == static_cast<std::uint64_t>(numel)) return;
  core::raise(ErrorCode::kInvalidArgument,
              "[tensor] {} elements were given for shape {}, which has {}", count,
              shape.to_string(), numel);
}

void check_single_element(const Tensor& tensor) {
  tensor::await_for_user(checked(tensor.impl()), "item()");
  if (tensor.numel() == 1) return;
  core::raise(ErrorCode::kInvalidArgument,
              "[tensor] item() takes a tensor of one element; this one is {} {}",
              dtype_name(tensor.dtype()), tensor.shape().to_string());
}

}  // namespace v0
}  // namespace loci
