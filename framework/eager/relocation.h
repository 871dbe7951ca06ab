// Copies of tensors, enqueued and recorded.
#pragma once

#include <loci/inline_list.hpp>
#include <loci/op_call.hpp>

#include "framework/eager/call_plan.h"
#include "framework/transfer/transfer.h"

namespace loci::eager {

// A copy in the memory of `device`; the tensor itself if it lies there. On the lane for copies of
// the device that is not the host, unless a StreamGuard says otherwise.
Tensor relocate(const Tensor& tensor, device::Device& device, const transfer::Labels& labels,
                const void* site);
// A call's values, each where the plan reads it.
class Relocated {
 public:
  Relocated() = default;
  Relocated(const CallPlan& plan, const TensorRef* values, const void* site);
  Relocated(const Relocated&) = delete;
  Relocated& operator=(const Relocated&) = delete;

  [[nodiscard]] const TensorRef* data() const { return values_.data(); }

 private:
  InlineList<Tensor, 6> moved_;
  InlineList<TensorRef, 6> values_;
};
// Enqueues the copy of the elements of one tensor into another of the same form; records nothing.
void copy_elements(const Tensor& from, const Tensor& to, const void* site,
                   const transfer::Labels& labels = {});
// The same elements in memory of their own, at the same place; records nothing.
Tensor duplicate(const Tensor& tensor, const void* site);

}  // namespace loci::eager
