// Putting the branch that is taken in place of the operator that owns it.
#pragma once

#include <functional>
#include <loci/tensor.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "framework/program/program_impl.h"

namespace loci::program {

// The value of a variable on the host; undefined if it is not known yet.
using HostValue = std::function<Tensor(VarId)>;

// Rewrites the operators of a block, in order. What a branch makes becomes variables of that
// block; an output of the operator that only passes on what it was given stands for that variable,
// and so does its name.
class Inliner {
 public:
  // `copies_selected`: select_input makes a copy, as it is written.
  Inliner(Block& block, HostValue value, bool copies_selected);

  // Adds to `into` the operator, or what is run instead of it. Operators must come in the order of
  // the block. Throws Error(kInvalidArgument) for a predicate that is not one element, a selection
  // out of range, and an operator that reads what no branch computed; as check_iterations() for a
  // loop.
  void add(Operator op, std::vector<Operator>* into);
  // Returns true if add() replaced any operator so far.
  [[nodiscard]] bool has_replaced() const { return has_replaced_; }
  // The variable for which `id` stands.
  [[nodiscard]] VarId meaning(VarId id) const;

 private:
  // The index of the block that runs; kNone if none does.
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  // Nothing is known if one of the deciding inputs is not.
  [[nodiscard]] bool is_decided(const Operator& op) const;
  [[nodiscard]] std::size_t chosen(const Operator& op) const;
  [[nodiscard]] std::int64_t number(const Operator& op, VarId id) const;
  void select(const Operator& op, std::vector<Operator>* into);
  void take(const Operator& op, const Block& block, std::vector<Operator>* into);
  void leave_out(const Operator& op);
  void stand_for(VarId output, VarId value);
  std::vector<VarId> ids_of(const Operator& op, const Block& block);
  VarId add_local(const VarDesc& local, const Operator& op);
  void check_present(const Operator& op) const;
  std::string free_operator_name(const Operator& op);

  Block& block_;
  HostValue value_;
  bool copies_selected_;
  bool has_replaced_ = false;
  std::unordered_map<VarId, VarId> meanings_;
  std::unordered_map<VarId, std::string> absent_;  // by variable: who would have computed it
  std::unordered_set<std::string> names_;
};

}  // namespace loci::program
