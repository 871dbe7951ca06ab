// An emitter that turns what a gradient writes into operators of a program.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "framework/ops/grad_context.h"
#include "framework/program/builder.h"
#include "framework/program/program_impl.h"

namespace loci::autograd {

// Appends to the main block with role backward. A Value's id is the variable's.
class ProgramEmitter final : public ops::Emitter {
 public:
  explicit ProgramEmitter(program::ProgramImpl& program);

  // Until the next call, operators are emitted as part of the gradient of `op`, the `index`-th:
  // with its guard, and under "<type>_grad".
  void enter(const program::Operator& op, std::size_t index);

  // From here on operators are emitted under this guard.
  void follow(const std::string& guard) { guard_ = guard; }
  // Emits an operator of control flow: `spec` has type, inputs, attributes and blocks.
  std::vector<program::VarId> append(program::OperatorSpec spec);

  std::vector<ops::Value> emit(const OpCall<ops::Value>& call) override;
  [[nodiscard]] ops::TensorType type(ops::Value value) const override;

  // Undefined for kNoVar.
  [[nodiscard]] ops::Value value(program::VarId id);
  // A tensor of ones of that type, emitted under `guard`.
  program::VarId ones(const ops::TensorType& type, const std::string& guard);

 private:
  void check_unchanged(program::VarId id) const;

  program::ProgramImpl* program_;
  std::string guard_;
  std::string scope_;
  std::string op_name_;
  std::size_t op_index_ = 0;
  // The last operator that changes each variable in place, by id, or -1.
  std::vector<std::int64_t> last_change_;
};

}  // namespace loci::autograd
