// Values of variables that are known before a program runs.
#pragma once

#include <loci/tensor.hpp>
#include <optional>
#include <unordered_map>
#include <vector>

#include "framework/passes/pass.h"

namespace loci::passes {

// Fed with the operators of a block in order. What has no inputs is computed only when a value is
// asked for.
class KnownValues {
 public:
  KnownValues(const program::Block& block, Evaluate evaluate, SizeNotes* sizes = nullptr)
      : block_(block), evaluate_(std::move(evaluate)), sizes_(sizes) {}

  // Types of the operator's outputs, by slot.
  [[nodiscard]] std::vector<std::vector<ops::TensorType>> infer(const program::Operator& op);

  // Learns what the operator computes. True if its outputs are known and it can be replaced by
  // constants_for(): it has inputs, and its outputs are small.
  bool note(const program::Operator& op);
  // Operators that give the outputs of the one that was noted last.
  [[nodiscard]] std::vector<program::Operator> constants_for(const program::Operator& op);

  // Sets the attribute, a list of integers, to the variable's value, if that is known.
  bool read(program::VarId id, Attribute* attribute);
  // Undefined if it is not known.
  Tensor value(program::VarId id);

 private:
  [[nodiscard]] bool is_candidate(const program::Operator& op) const;
  // Returns true if all that it reads the elements of is known, or could be computed.
  [[nodiscard]] bool may_be_known(const program::Operator& op) const;
  bool compute(const program::Operator& op);

  const program::Block& block_;
  Evaluate evaluate_;
  SizeNotes* sizes_;
  std::unordered_map<program::VarId, Tensor> values_;
  // Operators without inputs, by output.
  std::unordered_map<program::VarId, program::Operator> sources_;
};

}  // namespace loci::passes
