// Tensors that share some of their memory, where one of them is changed in place.
#pragma once

#include <loci/inline_list.hpp>
#include <loci/op_call.hpp>

#include "framework/eager/call_plan.h"
#include "framework/tensor/tensor_impl.h"

namespace loci::eager {

// Returns true if both are the same bytes, whichever storages they are told by.
[[nodiscard]] bool is_same_view(const tensor::TensorImpl& a, const tensor::TensorImpl& b);

// Returns true if writing one would change elements of the other that are still to be read. The
// same view does not count, because an element is read before it is written there.
[[nodiscard]] bool overlap_partly(const tensor::TensorImpl& a, const tensor::TensorImpl& b);

// The values of a call that changes state: a value which shares memory with such state is a copy,
// so that the result is as if all had been read first, also where rows are read and written in
// another order. Throws Error(kInvalidArgument) for two states that share memory: it has no right
// result.
class ValuesApart {
 public:
  ValuesApart(const CallPlan& plan, const TensorRef* values, const void* site);
  ValuesApart(const ValuesApart&) = delete;
  ValuesApart& operator=(const ValuesApart&) = delete;

  [[nodiscard]] const TensorRef* data() const { return values_.data(); }

 private:
  void keep_apart(const CallPlan& plan, std::size_t state, const void* site);

  InlineList<Tensor, 2> copies_;
  InlineList<TensorRef, 6> values_;
};

}  // namespace loci::eager
