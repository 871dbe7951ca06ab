// Changes of tensors in place.
#include <loci/ops/creation.hpp>
#include <loci/tensor.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "framework/core/raise.h"
#include "framework/eager/call.h"
#include "framework/eager/call_scope.h"
#include "framework/eager/copy_node.h"
#include "framework/eager/interceptor.h"
#include "framework/eager/node.h"
#include "framework/eager/overlap.h"
#include "framework/eager/relocation.h"
#include "framework/eager/thread_state.h"

namespace loci {
namespace eager {
namespace {

void check_defined(const Tensor& tensor, const char* what) {
  if (tensor.defined()) return;
  core::raise(ErrorCode::kInvalidArgument, "[{}] the tensor is undefined; was it moved from?",
              what);
}

// A tensor that nothing is recorded of may always change. Else the change must not reach what has
// been recorded of other tensors with the same memory.
void check_change(const Tensor& self, bool takes_gradient, const char* what) {
  if (!thread_state().records) return;
  const bool is_recorded = requires_grad(self);
  if (!is_recorded && !takes_gradient) return;
  if (is_recorded && self.is_leaf()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[{}] '{}' {} is a leaf that requires a gradient, and would lose it by a change in "
                "place; change it under NoGrad, or compute a new tensor",
                what, self.name(), self.shape().to_string());
  }
  if (self.impl()->storage().use_count() > 1) {
    core::raise(ErrorCode::kInvalidArgument,
                "[{}] '{}' {} shares its memory with a view, or with what a gradient needs, so "
                "that a change in place would have no right gradient; compute a new tensor",
                what, self.name(), self.shape().to_string());
  }
}

void check_form(const Tensor& self, const ops::TensorType& type, const char* what) {
  if (type == ops::TensorType{self.dtype(), self.shape()}) return;
  core::raise(ErrorCode::kInvalidArgument,
              "[{}] gives {} {}, but '{}' is {} {} and keeps its form when it is changed in place",
              what, dtype_name(type.dtype), type.shape.to_string(), self.name(),
              dtype_name(self.dtype()), self.shape().to_string());
}

// `x op= y`: where x is, with y as it was before. The call has x and y for its first two values; of
// one that `moves` elements, y may be no view of x at all.
void change(const Tensor& self, OpCall<Tensor>& call, const char* op, bool moves,
            const void* site) {
  const Tensor other = call.values[1];
  ThreadState& thread = thread_state();
  if (thread.interceptor != nullptr) return thread.interceptor->replace(self, call.result());
  check_change(self, requires_grad(other), op);
  const bool overlaps = overlap_partly(*self.impl(), *other.impl()) ||
                        (moves && is_same_view(*self.impl(), *other.impl()));
  Tensor apart;
  if (overlaps) [[unlikely]] {
    // One that is recorded, which may be x itself, keeps its way to the gradient.
    const Tensor copy = duplicate(other, site);
    apart = requires_grad(other) ? attached(copy, edge_of(other)) : copy;
    call.values[1] = apart;
  }
  const device::Device* guard = guarded_device(thread);
  std::shared_ptr<const CallPlan> plan = thread.recent.find(call, guard);
  std::optional<CallScope> scope;
  if (plan == nullptr) {
    scope.emplace(op);
    PlannedCall planned = plan_of(call);
    plan = planned.plan;
    scope->set_plan(*plan);
    if (planned.is_lasting) thread.recent.insert(call, guard, plan);
  }
  check_form(self, plan->outputs.front().type, op);
  run_call_into(plan, call.values.data(), self, thread, site);
}

void change(const Tensor& self, const Tensor& other, const char* op, const void* site) {
  check_defined(self, op);
  check_defined(other, op);
  OpCall<Tensor> call(op);
  call.input("x", self).input("y", other);
  change(self, call, op, /*moves=*/false, site);
}

}  // namespace
}  // namespace eager

inline namespace v0 {

const Tensor& Tensor::add_(const Tensor& other) const {
  eager::change(*this, other, "elementwise_add", __builtin_return_address(0));
  return *this;
}
const Tensor& Tensor::sub_(const Tensor& other) const {
  eager::change(*this, other, "elementwise_sub", __builtin_return_address(0));
  return *this;
}
const Tensor& Tensor::mul_(const Tensor& other) const {
  eager::change(*this, other, "elementwise_mul", __builtin_return_address(0));
  return *this;
}
const Tensor& Tensor::div_(const Tensor& other) const {
  eager::change(*this, other, "elementwise_div", __builtin_return_address(0));
  return *this;
}

const Tensor& Tensor::set_slice_(const Tensor& other, const std::vector<std::int64_t>& axes,
                                 const std::vector<std::int64_t>& starts,
                                 const std::vector<std::int64_t>& ends,
                                 const std::vector<std::int64_t>& steps) const {
  const void* site = __builtin_return_address(0);
  eager::check_defined(*this, "set_slice_");
  eager::check_defined(other, "set_slice_");
  OpCall<Tensor> call("set_slice");
  call.input("x", *this).input("y", other);
  call.attr("axes", axes).attr("starts", starts).attr("ends", ends).attr("steps", steps);
  eager::change(*this, call, "set_slice", /*moves=*/true, site);
  return *this;
}

const Tensor& Tensor::fill_(double value) const {
  const void* site = __builtin_return_address(0);
  eager::check_defined(*this, "fill_");
  eager::ThreadState& thread = eager::thread_state();
  if (thread.interceptor != nullptr) {
    thread.interceptor->replace(*this, full_like(*this, value));
    return *this;
  }
  eager::check_change(*this, false, "fill_");
  OpCall<Tensor> call("full_like");
  call.input("x", *this).attr("value", value);
  eager::CallScope scope(call.type);
  const std::shared_ptr<const eager::CallPlan> plan = eager::plan_of(call).plan;
  scope.set_plan(*plan);
  eager::run_call_into(plan, call.values.data(), *this, thread, site);
  return *this;
}

void Tensor::copy_(const Tensor& source, bool blocking) const {
  const void* site = __builtin_return_address(0);
  eager::check_defined(*this, "copy_");
  eager::check_defined(source, "copy_");
  if (source.dtype() != dtype() || source.shape() != shape()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[copy_] a {} {} tensor cannot be copied into one of {} {}; cast or reshape it "
                "first",
                dtype_name(source.dtype()), source.shape().to_string(), dtype_name(dtype()),
                shape().to_string());
  }
  if (eager::is_same_view(*impl(), *source.impl())) return;
  if (eager::Interceptor* interceptor = eager::thread_state().interceptor) {
    return interceptor->replace(*this, source.to(place()));
  }
  eager::check_change(*this, eager::requires_grad(source), "copy_");
  // Copies need not cope with an overlap.
  const bool overlaps = eager::overlap_partly(*source.impl(), *impl());
  eager::copy_elements(overlaps ? eager::duplicate(source, site) : source, *this, site);
  if (eager::thread_state().records && !eager::record_copy(source, *this, {})) {
    impl()->set_recorded(nullptr);
  }
  impl()->storage()->version.fetch_add(1, std::memory_order_relaxed);
  if (blocking || eager::thread_state().is_serial) tensor::wait_unless_captured(*impl()->storage());
}

std::uint64_t Tensor::version() const {
  eager::check_defined(*this, "version");
  return impl()->storage()->version.load(std::memory_order_relaxed);
}

}  // namespace v0
}  // namespace loci
