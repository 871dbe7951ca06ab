// The rule by which an optimizer changes each parameter.
#pragma once

#include <loci/attribute.hpp>
#include <loci/optimizer.hpp>
#include <loci/program.hpp>
#include <memory>
#include <string>
#include <vector>

#include "framework/autograd/backward.h"
#include "framework/program/builder.h"
#include "framework/program/program_impl.h"

namespace loci {
inline namespace v0 {
namespace optimizer {

// An update op, which takes param, grad, learning_rate and rows, and what else it takes.
struct UpdateRule {
  const char* op;                        // "adam"; the optimizer's name in messages too
  std::vector<const char*> states = {};  // inputs of the parameter's shape, zero at first
  bool counts_steps = false;             // an input "step": how many there were before
  Attributes attributes = {};
};

// State is kept in the dtype computed in.
inline DType state_dtype(DType parameter) { return parameter == kFloat64 ? kFloat64 : kFloat32; }

// Adds update operators and the state that they keep to a pair of programs.
class UpdateBuilder {
 public:
  UpdateBuilder(std::shared_ptr<program::ProgramImpl> main, program::ProgramImpl& startup,
                program::VarId learning_rate);

  // State of the shape of the parameter, zero at first, at its place.
  program::VarId state(program::VarId parameter, const char* name);
  // A counter of steps, from 0, for the parameters of one guard.
  program::VarId counter(const std::string& name, const std::string& guard);
  // An operator with the inputs of every rule, param, grad, learning_rate and rows, to be
  // completed.
  [[nodiscard]] program::OperatorSpec update(const char* op, program::VarId parameter,
                                             const autograd::GradientVar& gradient) const;
  [[nodiscard]] const std::string& guard_of(program::VarId parameter) const;
  void append(const program::OperatorSpec& spec);

 private:
  std::shared_ptr<program::ProgramImpl> main_;
  program::ProgramImpl& startup_;
  program::VarId learning_rate_;
};

// Adds the updates of all parameters of a minimize().
void append_updates(UpdateBuilder& builder, const UpdateRule& rule,
                    const std::vector<program::VarId>& parameters,
                    const std::vector<autograd::GradientVar>& gradients);

// Throws Error(kInvalidArgument) unless 0 <= value < 1.
void check_share(const char* optimizer, const char* what, double value);

}  // namespace optimizer
}  // namespace v0
}  // namespace loci
