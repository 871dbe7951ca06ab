// What an optimizer adds for one parameter.
#pragma once

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

// Adds update operators and the state that they keep to a pair of programs.
class UpdateBuilder {
 public:
  UpdateBuilder(std::shared_ptr<program::ProgramImpl> main, program::ProgramImpl& startup,
                program::VarId learning_rate);

  // State of the shape of the parameter, zero at first, at its place.
  program::VarId state(program::VarId parameter, const char* name);
  // One counter for all parameters, from 0.
  program::VarId counter(const char* name);
  // An operator with the inputs of every rule, param, grad, learning_rate and rows, to be
  // completed.
  [[nodiscard]] program::OperatorSpec update(const char* op, program::VarId parameter,
                                             const autograd::GradientVar& gradient) const;
  void append(const program::OperatorSpec& spec);

 private:
  std::shared_ptr<program::ProgramImpl> main_;
  program::ProgramImpl& startup_;
  program::VarId learning_rate_;
};

// Immutable. One for each optimizer.
class UpdateRule {
 public:
  virtual ~UpdateRule() = default;
  [[nodiscard]] virtual const char* name() const = 0;  // "adam", for messages
  // Called once for all parameters of a minimize().
  virtual void append(UpdateBuilder& builder, const std::vector<program::VarId>& parameters,
                      const std::vector<autograd::GradientVar>& gradients) const = 0;
};

// Throws Error(kInvalidArgument) unless 0 <= value < 1.
void check_share(const char* optimizer, const char* what, double value);

}  // namespace optimizer
}  // namespace v0
}  // namespace loci
