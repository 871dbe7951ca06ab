// dtypes and static shapes of a program's variables, for given feeds.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "framework/execution/plan.h"
#include "framework/program/program_impl.h"
#include "framework/tensor/scope_impl.h"

namespace loci::planning {

// Throws Error(kInvalidArgument) unless every feed is a data or persistable variable of the block,
// is given once, and has its dtype and a shape that fits.
void check_feeds(const program::Block& block, const std::vector<execution::PlanFeed>& feeds);

// Types by variable, from the feeds, the scope's persistable variables and the ops' shape
// inference, operator by operator.
class TypeBinder {
 public:
  TypeBinder(const program::Block& block, const tensor::ScopeImpl& scope);

  void bind_feeds(const std::vector<execution::PlanFeed>& feeds);
  // Where the variable's extent depends on data, and which variable will hold it.
  void set_bounded(program::VarId id, const ops::TensorType& bound, program::VarId count) {
    bounded_[id] = {bound, count};
  }
  void set_type(program::VarId id, const ops::TensorType& type) { types_[index(id)] = type; }
  // The value of a variable that ops read on the host.
  void set_host_value(program::VarId id, Tensor value) { host_values_[id] = std::move(value); }

  // The variables whose values must be read on the host before the operator's types are known:
  // inputs that give extents, and counts of inputs whose extent depends on data. Empty if nothing
  // is missing.
  [[nodiscard]] std::vector<program::VarId> missing_values(const program::Operator& op) const;

  // Types that inference would find, by index of the variable, for as many as there are; those that
  // are not static are none. They outlive this. Null: none.
  void expect(const std::vector<ops::TensorType>* types) { expected_ = types; }

  // Infers what the operator computes; nothing may be missing. Throws Error(kInvalidArgument) if a
  // data variable that it reads is not fed, and Error(kNotFound) if a persistable one that is read
  // before it is written is not in the scope.
  void bind(const program::Operator& op);

  // The type of a variable that the operator reads. Throws as bind().
  const ops::TensorType& require(program::VarId id, const program::Operator& op);
  // dtype kNone if nothing has defined the variable.
  [[nodiscard]] const ops::TensorType& type(program::VarId id) const { return types_[index(id)]; }
  // The type to allocate: that of the bound where the extent depends on data.
  [[nodiscard]] const ops::TensorType& bound(program::VarId id) const;
  // Variables of the block's size.
  [[nodiscard]] const std::vector<ops::TensorType>& types() const { return types_; }
  // The variable that will hold the true extent of dimension 0; kNoVar if the extent is known.
  [[nodiscard]] program::VarId count_of(program::VarId id) const;

 private:
  static std::size_t index(program::VarId id) { return static_cast<std::size_t>(id); }
  ops::TensorType external(const program::VarDesc& var, const program::Operator& op) const;
  void bind_scan(const program::Operator& op);
  // Returns true if all that the operator computes has a type that is expected.
  [[nodiscard]] bool is_expected(const program::Operator& op) const;
  void bind_as_expected(const program::Operator& op);
  void remember_bounds(const program::Operator& op, const ops::InferContext& context);

  struct Bounded {
    ops::TensorType bound;
    program::VarId count;
  };

  const program::Block& block_;
  const tensor::ScopeImpl& scope_;
  std::vector<ops::TensorType> types_;
  const std::vector<ops::TensorType>* expected_ = nullptr;
  std::unordered_map<program::VarId, Bounded> bounded_;
  std::unordered_map<program::VarId, Tensor> host_values_;
};

}  // namespace loci::planning
