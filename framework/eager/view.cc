// Tensors that share memory.
#include <loci/ops/parts.hpp>
#include <loci/ops/shape.hpp>
#include <loci/tensor.hpp>

#include "framework/core/raise.h"
#include "framework/eager/call.h"
#include "framework/eager/call_node.h"
#include "framework/eager/interceptor.h"
#include "framework/eager/thread_state.h"
#include "framework/memory/node_pool.h"

namespace loci {
namespace eager {
namespace {

const tensor::TensorImpl& checked(const Tensor& tensor) {
  if (!tensor.defined()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[tensor] this tensor is undefined; make one with Tensor::empty() or from()");
  }
  return *tensor.impl();
}

Tensor alias(const tensor::TensorImpl& of, const Shape& shape, std::uint64_t offset) {
  return Tensor(memory::make_pooled<tensor::TensorImpl>(of.dtype(), shape, of.storage(),
                                                        of.offset() + offset));
}

// The view is what the op would give: its gradient is the op's.
void record_view(OpCall<Tensor>& call, const Tensor& view) {
  if (!thread_state().records || !requires_grad(call.values.front())) return;
  TensorList results;
  results.push_back(view);
  record_call(plan_of(call).plan, call.values.data(), results);
}

std::int64_t bounded(std::int64_t index, std::int64_t extent) {
  return index < 0 ? index + extent : index;
}

}  // namespace
}  // namespace eager

inline namespace v0 {

Tensor Tensor::detach() const {
  const tensor::TensorImpl& impl = eager::checked(*this);
  if (eager::Interceptor* interceptor = eager::thread_state().interceptor) {
    return interceptor->detach(*this);
  }
  Tensor view = eager::alias(impl, impl.shape(), 0);
  if (!impl.name().empty()) view.set_name(impl.name());
  return view;
}

Tensor Tensor::reshaped(const Shape& shape) const {
  const tensor::TensorImpl& impl = eager::checked(*this);
  if (eager::Interceptor* interceptor = eager::thread_state().interceptor) {
    return interceptor->view(*this, reshape(*this, shape.dims()));
  }
  if (shape.numel() != impl.shape().numel()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[tensor] {} elements of shape {} cannot be reshaped to {}, which has {}",
                impl.shape().numel(), impl.shape().to_string(), shape.to_string(), shape.numel());
  }
  Tensor view = eager::alias(impl, shape, 0);
  if (impl.recorded() != nullptr) {
    OpCall<Tensor> call("reshape");
    call.input("x", *this).attr("shape", shape.dims());
    eager::record_view(call, view);
  }
  return view;
}

Tensor Tensor::rows(std::int64_t begin, std::int64_t end) const {
  const tensor::TensorImpl& impl = eager::checked(*this);
  const Shape& shape = impl.shape();
  const std::int64_t extent = shape.rank() == 0 ? 0 : shape[0];
  const std::int64_t first = eager::bounded(begin, extent);
  const std::int64_t last = eager::bounded(end, extent);
  if (shape.rank() == 0 || first < 0 || last > extent || first > last) {
    core::raise(ErrorCode::kInvalidArgument,
                "[tensor] rows {} to {} are not those of a tensor of shape {}", begin, end,
                shape.to_string());
  }
  if (eager::Interceptor* interceptor = eager::thread_state().interceptor) {
    return interceptor->view(*this, slice(*this, {0}, {first}, {last}));
  }
  Shape part = shape;
  part.set(0, last - first);
  const std::uint64_t row = extent == 0 ? 0 : impl.bytes() / static_cast<std::uint64_t>(extent);
  Tensor view = eager::alias(impl, part, row * static_cast<std::uint64_t>(first));
  if (impl.recorded() != nullptr) {
    using Integers = std::vector<std::int64_t>;
    OpCall<Tensor> call("slice");
    call.input("x", *this).attr("axes", Integers{0}).attr("starts", Integers{first});
    call.attr("ends", Integers{last}).attr("steps", Integers{});
    eager::record_view(call, view);
  }
  return view;
}

Tensor Tensor::operator[](std::int64_t index) const {
  const Shape& shape = eager::checked(*this).shape();
  const std::int64_t extent = shape.rank() == 0 ? 0 : shape[0];
  const std::int64_t row = eager::bounded(index, extent);
  if (row < 0 || row >= extent) {
    core::raise(ErrorCode::kInvalidArgument, "[tensor] index {} is not one of a tensor of shape {}",
                index, shape.to_string());
  }
  return rows(row, row + 1).reshaped(Shape(shape.data() + 1, shape.rank() - 1));
}

}  // namespace v0
}  // namespace loci
