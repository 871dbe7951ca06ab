// Copies of tensors, enqueued and recorded.
#pragma once

#include <loci/inline_list.hpp>
#include <loci/op_call.hpp>

#include "framework/eager/call_plan.h"
#include "framework/transfer/transfer.h"

namespace loci::eager {

// A copy in the memory of `device`; the tensor itself if it lies there. On the queue for copies of
// the device that is not the host, unless a StreamGuard says otherwise. Where the labels name no
// variable, the tensor's name does. Throws Error(kPolicy) if the copy is forbidden.
Tensor relocate(const Tensor& tensor, device::Device& device, const transfer::Labels& labels,
                const void* site);

// A call's values, each where the plan reads it, and its results where they were asked for.
class Relocated {
 public:
  // Throws Error(kPolicy) before anything is copied if one of the copies is forbidden, those of
  // results included.
  Relocated(const CallPlan& plan, const TensorRef* values, const void* site);
  Relocated(const Relocated&) = delete;
  Relocated& operator=(const Relocated&) = delete;

  [[nodiscard]] const TensorRef* data() const { return values_.data(); }
  // Copies the results of an op that fell back to where it was asked for. May be called once.
  void bring_back(TensorList& results);

 private:
  // A value that is to be copied.
  struct Move {
    std::size_t value = 0;
    device::Device* target = nullptr;
    transfer::Labels labels;
    transfer::Permit permit;
    std::size_t copy = 0;  // of moved_; the same for values that are one tensor
  };
  using Moves = InlineList<Move, 4>;

  void ask_to_move(const PlannedInput& input, Moves& moves) const;
  void ask_to_return();
  [[nodiscard]] transfer::Labels return_labels(const PlannedOutput& output) const;

  const CallPlan& plan_;
  const void* site_;
  InlineList<Tensor, 6> moved_;
  InlineList<TensorRef, 6> values_;
  InlineList<transfer::Permit, 3> returns_;  // of outputs, where they are brought back
};

// Enqueues the copy of the elements of one tensor into another of the same form; records nothing.
// Otherwise works as relocate() does.
void copy_elements(const Tensor& from, const Tensor& to, const void* site,
                   const transfer::Labels& labels = {});
// Copies the elements to memory of their own, at the same place; records nothing.
Tensor duplicate(const Tensor& tensor, const void* site);

}  // namespace loci::eager
