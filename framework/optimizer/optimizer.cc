#include <algorithm>
#include <cmath>
#include <loci/creation.hpp>
#include <loci/optimizer.hpp>
#include <utility>

#include "framework/autograd/backward.h"
#include "framework/core/raise.h"
#include "framework/eager/thread_state.h"
#include "framework/eager/user_call.h"
#include "framework/optimizer/tensor_updates.h"
#include "framework/optimizer/update_rule.h"
#include "framework/program/parameters.h"
#include "framework/program/transaction.h"
#include "framework/tensor/tensor_impl.h"
#include "framework/transfer/replication.h"

namespace loci {
inline namespace v0 {
namespace optimizer {
namespace {

using program::ProgramImpl;
using program::VarId;

void check_parameter(const char* rule, const Variable& parameter, const Variable& loss) {
  const std::string& name = parameter.name();
  if (parameter.program() != loss.program()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[{}] parameter '{}' and the loss '{}' belong to different programs", rule, name,
                loss.name());
  }
  if (!parameter.persistable()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[{}] '{}' is not persistable, so it cannot be trained; make it with "
                "create_parameter()",
                rule, name);
  }
}

std::vector<VarId> candidates(const char* rule, const Variable& loss,
                              const std::vector<Variable>& parameters) {
  std::vector<VarId> ids;
  for (const Variable& parameter : parameters) {
    check_parameter(rule, parameter, loss);
    if (std::find(ids.begin(), ids.end(), parameter.id()) != ids.end()) {
      core::raise(ErrorCode::kInvalidArgument, "[{}] parameter '{}' is given twice", rule,
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

Variable make_learning_rate(const std::shared_ptr<ProgramImpl>& main, ProgramImpl& startup,
                            double value) {
  return program::add_persistable(
      main, startup,
      {main->unique_name("learning_rate"), Shape{}, kFloat32, initializer::constant(value), false});
}

// Sets the value that the startup program gives the variable from now on.
void set_initial(ProgramImpl& startup, const std::string& name, double value) {
  const VarId id = startup.main().find(name);
  for (program::Operator& op : startup.main().ops) {
    if (op.role != program::Role::kInitialize || op.outputs[0] != program::Slot{id}) continue;
    op.attributes["value"] = value;
  }
  startup.touch();
}

Variable variable(const std::shared_ptr<ProgramImpl>& program, VarId id) {
  return id == program::kNoVar ? Variable() : Variable(program, id);
}

// Drops the parameters that the loss does not depend on.
void keep_reached(std::vector<VarId>* parameters, std::vector<autograd::GradientVar>* gradients) {
  std::vector<VarId> reached;
  for (std::size_t i = 0; i < parameters->size(); ++i) {
    if ((*gradients)[i].value != program::kNoVar) reached.push_back((*parameters)[i]);
  }
  *parameters = std::move(reached);
  gradients->erase(std::remove_if(gradients->begin(), gradients->end(),
                                  [](const autograd::GradientVar& gradient) {
                                    return gradient.value == program::kNoVar;
                                  }),
                   gradients->end());
}

void check_rate(const char* rule, double value) {
  if (std::isfinite(value)) return;
  core::raise(ErrorCode::kInvalidArgument, "[{}] the learning rate is {}; give a finite one", rule,
              value);
}

// Each place that has the rate sets its own: no step has to wait for a copy.
void set_everywhere(const Tensor& rate, double value) {
  rate.fill_(value);
  transfer::renew_replicas(rate, [value](const tensor::ReplicaKey& key) {
    return full(key.shape, value, key.dtype, key.place);
  });
}

}  // namespace

Optimizer::Optimizer(double learning_rate, const UpdateRule& rule)
    : rule_(std::make_unique<const UpdateRule>(rule)),
      tensors_(std::make_unique<TensorUpdates>(*rule_)) {
  check_rate(rule_->op, learning_rate);
  rate_ = learning_rate;
  tensors_->set_rate(learning_rate);
}

Optimizer::~Optimizer() = default;

void Optimizer::set_learning_rate(double value, const Scope& scope) {
  check_rate(rule_->op, value);
  if (eager::thread_state().interceptor != nullptr) {
    core::raise(ErrorCode::kInvalidArgument,
                "[{}] set_learning_rate() within a trace, of which the program has no part: its "
                "runs read the rate and do not set it; set it outside of the function, between "
                "calls, which see it",
                rule_->op);
  }
  rate_ = value;
  const eager::UserCall call(__builtin_return_address(0));
  tensors_->set_rate(value);
  if (!learning_rate_.defined()) return;
  set_initial(*startup_.impl(), learning_rate_.name(), value);
  if (scope.has(learning_rate_.name())) set_everywhere(scope.find(learning_rate_.name()), value);
}

StateDict Optimizer::state_dict(const StateDict& parameters) const {
  return tensors_->state(parameters);
}

void Optimizer::load_state_dict(const StateDict& parameters, const StateDict& state) {
  const eager::UserCall call(__builtin_return_address(0));
  const tensor::LettingGo lets_go("Optimizer::load_state_dict()");
  rate_ = tensors_->load(parameters, state);
}

void Optimizer::step(const std::vector<Tensor>& parameters) {
  const eager::UserCall call(__builtin_return_address(0));
  tensors_->step(parameters);
}

void Optimizer::zero_grad(const std::vector<Tensor>& parameters) {
  const tensor::LettingGo call("Optimizer::zero_grad()");
  for (const Tensor& parameter : parameters) parameter.set_grad({});
}

std::vector<ParameterGradient> Optimizer::minimize(const Variable& loss,
                                                   const std::vector<Variable>& parameters) {
  (void)loss.name();  // refuses an undefined one
  const std::shared_ptr<ProgramImpl>& main = loss.program();
  const Program startup = default_startup_program();
  program::Transaction in_main(*main);
  program::Transaction in_startup(*startup.impl());
  std::vector<VarId> targets = candidates(rule_->op, loss, parameters);
  std::vector<autograd::GradientVar> gradients =
      autograd::append_gradients(*main, loss.id(), targets, autograd::SparseGradients::kKeep);
  keep_reached(&targets, &gradients);
  if (targets.empty()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[{}] the loss '{}' depends on no parameter; make parameters with "
                "create_parameter() or layers, and do not stop their gradients",
                rule_->op, loss.name());
  }
  Variable rate = learning_rate_;
  if (rate.program() != main) rate = make_learning_rate(main, *startup.impl(), rate_);
  for (const VarId id : targets) {
    const program::VarDesc& parameter = main->main().var(id);
    tensors_->tell_of_rounding(parameter.type.dtype, parameter.name);
  }
  UpdateBuilder builder(main, *startup.impl(), rate.id());
  append_updates(builder, *rule_, targets, gradients);
  in_main.commit();
  in_startup.commit();
  if (learning_rate_.program() != main) startup_ = startup;
  learning_rate_ = std::move(rate);
  std::vector<ParameterGradient> updated;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    updated.push_back({variable(main, targets[i]), variable(main, gradients[i].value),
                       variable(main, gradients[i].rows)});
  }
  return updated;
}

}  // namespace optimizer
}  // namespace v0
}  // namespace loci
