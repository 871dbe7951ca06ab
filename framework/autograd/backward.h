// The reverse walk over a program.
#pragma once

#include <cstdint>
#include <vector>

#include "framework/program/program_impl.h"

namespace loci::autograd {

// A gradient; or, if `rows` is a variable, its rows that are not surely zero: row i of `value` is
// that of row rows[i], and rows that occur several times add up.
struct GradientVar {
  program::VarId value = program::kNoVar;
  program::VarId rows = program::kNoVar;
};

enum class SparseGradients : std::uint8_t { kKeep, kMakeDense };

// Who has a word in gradients as they become complete.
class GradientHook {
 public:
  virtual ~GradientHook() = default;
  // Says whether replace() is to be called for the gradient of that variable; its rows are made
  // dense.
  [[nodiscard]] virtual bool watches(program::VarId var) const = 0;
  // Gives the value that stands for the gradient from then on, perhaps by operators that it
  // appends.
  virtual program::VarId replace(program::VarId var, program::VarId gradient) = 0;
};

// Appends the operators that compute d(loss)/d(target) for each target; kNoVar where the loss does
// not depend on it through floating values. Only what lies between the targets and the loss is
// visited. stop_gradient holds gradients back at a variable: it gets one if it is a target, but
// passes none on.
//
// The gradient of x is named "x@GRAD"; where several operators read x, the contributions are
// "x@GRAD@0", "x@GRAD@1", ... A gradient that equals another one, as that of x in x + y, is the
// same variable, except that of a target. A name that is taken gets a number: "x@GRAD_0". Rows
// are named "x@GRAD@ROWS".
//
// Throws Error(kInvalidArgument) if the loss is not one floating element, or if a value that a
// gradient needs is changed in place before the gradient would run; the program is unchanged then.
//
// Control flow: see block_gradient.h.
std::vector<GradientVar> append_gradients(program::ProgramImpl& program, program::VarId loss,
                                          const std::vector<program::VarId>& targets,
                                          SparseGradients sparse = SparseGradients::kMakeDense,
                                          GradientHook* hook = nullptr);

// A walk begins with seeds: each is an output and the variable that holds its gradient.
struct Seed {
  program::VarId output = program::kNoVar;
  program::VarId gradient = program::kNoVar;
};

// Appends dense gradients like append_gradients(), for a block of a program that is part of another
// one: the gradients of the outputs are there already. An error leaves what was appended so far.
std::vector<program::VarId> append_gradients_from(program::ProgramImpl& program,
                                                  const std::vector<Seed>& seeds,
                                                  const std::vector<program::VarId>& targets);

}  // namespace loci::autograd
