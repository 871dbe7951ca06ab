#include <algorithm>
#include <cmath>
#include <loci/optimizer.hpp>
#include <utility>

#include "framework/autograd/backward.h"
#include "framework/core/raise.h"
#include "framework/program/builder.h"
#include "framework/program/parameters.h"
#include "framework/program/transaction.h"

namespace loci {
inline namespace v0 {
namespace optimizer {
namespace {

using program::ProgramImpl;
using program::VarId;

void check_parameter(const Variable& parameter, const Variable& loss) {
  const std::string& name = parameter.name();
  if (parameter.program() != loss.program()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[sgd] parameter '{}' and the loss '{}' belong to different programs", name,
                loss.name());
  }
  if (!parameter.persistable()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[sgd] '{}' is not persistable, so it cannot be trained; make it with "
                "create_parameter()",
                name);
  }
}

std::vector<VarId> candidates(const Variable& loss, const std::vector<Variable>& parameters) {
  std::vector<VarId> ids;
  for (const Variable& parameter : parameters) {
    check_parameter(parameter, loss);
    if (std::find(ids.begin(), ids.end(), parameter.id()) != ids.end()) {
      core::raise(ErrorCode::kInvalidArgument, "[sgd] parameter '{}' is given twice",
                  parameter.name());
    }
    ids.push_back(parameter.id());
  }
  if (!parameters.empty()) return ids;
  const program::Block& block = loss.program()->main();
  for (std::size_t i = 0; i < block.vars.size(); ++i) {
    const program::VarDesc& var = block.vars[i];
    if (var.trainable && !var.stop_gradient) ids.push_back(static_cast<VarId>(i));
  }
  return ids;
}

void append_update(ProgramImpl& program, VarId parameter, VarId gradient, VarId learning_rate) {
  program::OperatorSpec spec;
  spec.type = "sgd";
  spec.inputs = {{"param", {parameter}}, {"grad", {gradient}}, {"learning_rate", {learning_rate}}};
  spec.guard = program.main().var(parameter).guard;
  spec.role = program::Role::kUpdate;
  program::append_operator(program, spec);
}

Variable make_learning_rate(const std::shared_ptr<ProgramImpl>& main, ProgramImpl& startup,
                            double value) {
  return program::add_persistable(
      main, startup,
      {main->unique_name("learning_rate"), Shape{}, kFloat32, initializer::constant(value), false});
}

}  // namespace

SGD::SGD(double learning_rate) : initial_rate_(learning_rate) {
  if (!std::isfinite(learning_rate)) {
    core::raise(ErrorCode::kInvalidArgument, "[sgd] the learning rate is {}; give a finite one",
                learning_rate);
  }
}

std::vector<ParameterGradient> SGD::minimize(const Variable& loss,
                                             const std::vector<Variable>& parameters) {
  (void)loss.name();  // refuses an undefined one
  const std::shared_ptr<ProgramImpl>& main = loss.program();
  const Program startup = default_startup_program();
  program::Transaction in_main(*main);
  program::Transaction in_startup(*startup.impl());
  const std::vector<VarId> targets = candidates(loss, parameters);
  const std::vector<VarId> gradients = autograd::append_gradients(*main, loss.id(), targets);
  Variable rate = learning_rate_;
  if (rate.program() != main) rate = make_learning_rate(main, *startup.impl(), initial_rate_);
  std::vector<ParameterGradient> updated;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (gradients[i] == program::kNoVar) continue;
    append_update(*main, targets[i], gradients[i], rate.id());
    updated.emplace_back(Variable(main, targets[i]), Variable(main, gradients[i]));
  }
  if (updated.empty()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[sgd] the loss '{}' depends on no parameter; make parameters with "
                "create_parameter() or layers, and do not stop their gradients",
                loss.name());
  }
  in_main.commit();
  in_startup.commit();
  learning_rate_ = std::move(rate);
  return updated;
}

}  // namespace optimizer
}  // namespace v0
}  // namespace loci
