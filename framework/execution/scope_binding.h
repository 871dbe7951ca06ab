// The variables of a scope in the memory of one frame.
#pragma once

#include <loci/abi/kernels.h>

#include <cstdint>
#include <loci/tensor.hpp>
#include <memory>
#include <string>
#include <vector>

#include "framework/device/failure.h"
#include "framework/execution/bound_memory.h"
#include "framework/execution/plan.h"
#include "framework/tensor/scope_impl.h"
#include "framework/tensor/tensor_impl.h"

namespace loci::execution {

// Points the views of a plan's values at a scope's variables, at their packed forms and at their
// replicas. For one run at a time; the plan and the views outlive it.
class ScopeBinding {
 public:
  ScopeBinding(const Plan& plan, std::vector<loci_view>* views) : plan_(plan), views_(*views) {}

  // Creates variables that the plan writes first, and brings those that lie elsewhere to their
  // home. Looks only at what may have changed if it is the scope of the last call, and no variable
  // has another storage since. Returns false if a variable has another type than the plan was
  // compiled for. Throws Error as resolve_persistable() does, and kPolicy.
  [[nodiscard]] bool bind(tensor::ScopeImpl& scope);

  // Returns true if bind() of that scope would change nothing. Asks for no work that is under way.
  [[nodiscard]] bool is_up_to_date(const tensor::ScopeImpl& scope) const;
  // In the order of the plan's, at its home; of what is bound.
  [[nodiscard]] const Tensor& variable(std::size_t index) const {
    return variables_[index].at_home();
  }
  // Returns true if one of the bytes belongs to one of the variables.
  [[nodiscard]] bool meets(const void* data, std::uint64_t bytes) const {
    return memory_.meets(data, bytes);
  }
  // A run is going to change those that the plan writes.
  void count_changes();
  // Nobody may read what the run was to write.
  void fail(const std::shared_ptr<device::Failure>& failure) const;

 private:
  struct Variable {
    Tensor tensor;  // the scope's
    // The replica of the tensor at the variable's home; null where the tensor itself lies there.
    std::shared_ptr<const tensor::Replica> replica;
    [[nodiscard]] const Tensor& at_home() const { return replica ? replica->tensor : tensor; }
  };

  [[nodiscard]] bool find_variables(tensor::ScopeImpl& scope);
  // Brings up to date what was made of constants.
  void refresh();
  void refresh_homes();
  void forget_forms(std::size_t persistable);
  void refresh_replicas();
  void refresh_packed();
  void point(ValueId value, void* data) { views_[static_cast<std::size_t>(value)].data = data; }

  const Plan& plan_;
  std::vector<loci_view>& views_;    // by value
  std::vector<Variable> variables_;  // the next three in the order of the plan's
  std::vector<std::shared_ptr<const tensor::Replica>> replicas_;
  std::vector<std::shared_ptr<const tensor::PackedForm>> packed_;
  std::vector<tensor::Storage*> written_;
  BoundMemory memory_;
  std::uint64_t scope_version_ = 0;
  const tensor::ScopeImpl* scope_ = nullptr;  // null if nothing is bound
};

}  // namespace loci::execution
