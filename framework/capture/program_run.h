// A run of a program within a graph.
#pragma once

#include <loci/inline_list.hpp>
#include <memory>

#include "framework/eager/task.h"
#include "framework/execution/frame.h"
#include "framework/tensor/scope_impl.h"
#include "framework/tensor/tensor_impl.h"

namespace loci::capture {

// Has a frame of its own in the graph's memory. Variables of the scope are looked up again where
// the scope has changed.
class ProgramRun {
 public:
  // Throws what Frame throws, and Error(kInvalidArgument) for a plan that no graph can have, naming
  // the operator.
  ProgramRun(std::shared_ptr<const execution::Plan> plan, std::shared_ptr<tensor::ScopeImpl> scope,
             const device::Device& device, execution::FrameMemory& memory);

  [[nodiscard]] const execution::Plan& plan() const { return *plan_; }
  [[nodiscard]] const execution::Frame& frame() const { return *frame_; }

  // Before anything else. False if a variable has another type than in the plan.
  [[nodiscard]] bool bind_first() { return frame_->bind_scope(*scope_); }
  // True if a replay needs nothing from bind().
  [[nodiscard]] bool is_bound() const { return frame_->is_up_to_date(*scope_); }
  // Once no replay is under way. Throws Error(kInvalidArgument) if a variable has another type.
  void bind(std::uint64_t graph);

  // These do for the variables what OutsideTensors does for tensors.
  void count_changes() { frame_->count_changes(); }
  void check(std::uint64_t graph) const;
  [[nodiscard]] bool is_ready() const;
  void enter_uses(const tensor::Ticket& ticket, InlineList<eager::Dependency, 4>* before,
                  eager::Sources* sources) const;
  void fail(const std::shared_ptr<device::Failure>& failure) const;
  [[nodiscard]] std::shared_ptr<device::Failure> failure() const;
  void clear_failures() const;

  // Calls visit(variable, storage) for each variable of the plan.
  template <class Visit>
  void for_each_variable(const Visit& visit) const {
    for (std::size_t i = 0; i < plan_->persistables.size(); ++i) {
      visit(plan_->persistables[i], *frame_->variable(i).impl()->storage());
    }
  }

 private:
  std::shared_ptr<const execution::Plan> plan_;
  std::shared_ptr<tensor::ScopeImpl> scope_;
  std::unique_ptr<execution::Frame> frame_;
};

}  // namespace loci::capture
