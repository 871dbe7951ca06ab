// Where the values of a program's variables lie while it is lowered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "framework/execution/continuation.h"
#include "framework/execution/plan.h"
#include "framework/planning/plan_compiler.h"
#include "framework/planning/type_binding.h"

namespace loci::planning {

// Returns true if no run of the program that the request is about changes the variable, and it has
// elements; `bound` is its type then.
[[nodiscard]] bool is_constant(const PlanRequest& request, const program::VarDesc& var,
                               const ops::TensorType& bound);

// Adds to the plan the values that variables have, each in the memory where it is defined and
// wherever else it is read, with the transfers in between.
class VariableValues {
 public:
  VariableValues(const PlanRequest& request, TypeBinder* binder, execution::Plan* plan);

  // The variable is the block's argument of that index.
  void add_argument(program::VarId id, std::size_t index) { argument_index_[id] = index; }

  // The value where the variable is defined. A persistable one, when it is first met, gets its
  // home: the place of its guard, else `device`, where the first operator that uses it runs.
  execution::ValueId home_of(program::VarId id, device::Device& device);
  // Gives the home of a variable that the operator writes whole.
  execution::ValueId initialised_home(program::VarId id, device::Device& device);
  // The variable's value in `space`, unless it is there already by a replica for a constant and by
  // a transfer for all else.
  execution::ValueId in_space(program::VarId id, execution::Space space, const char* consumer,
                              transfer::Reason reason);
  // Returns true if no run of the program changes the variable.
  [[nodiscard]] bool is_constant(program::VarId id) const;
  // Makes the values that the stage before has of a variable known here.
  void import(program::VarId id);
  // A later stage needs what there is of it.
  void keep(program::VarId id);

  // The variable's value in the layout that the packing says, which is made of its home in the
  // scope.
  execution::ValueId packed(program::VarId id, const transfer::Packing& packing);

  execution::ValueId add(program::VarId id, execution::Space space, execution::StorageKind storage);
  void add_transfer(const execution::TransferStep& step);

  [[nodiscard]] execution::PlanValue& at(execution::ValueId id) {
    return plan_.values[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] execution::VarState& state_of(program::VarId id) {
    return vars_[static_cast<std::size_t>(id)];
  }
  // At the end of a stage.
  [[nodiscard]] std::vector<execution::VarState> take_states() { return std::move(vars_); }

 private:
  void place_argument(program::VarId id, std::size_t index, device::Device& user);
  void add_persistable(program::VarId id, device::Device& user, bool written_first);
  execution::ValueId add_replica(program::VarId id, execution::Space space,
                                 const transfer::Labels& labels);
  execution::ValueId add_live_in(program::VarId id, execution::ValueId earlier);

  const PlanRequest& request_;
  TypeBinder& binder_;
  execution::Plan& plan_;
  const program::Block& block_;
  std::vector<execution::VarState> vars_;
  std::unordered_map<program::VarId, std::size_t> argument_index_;
  std::unordered_map<program::VarId, std::size_t> persistable_index_;
  std::map<std::pair<program::VarId, std::uint32_t>, execution::ValueId> packed_;  // by layout
};

}  // namespace loci::planning
