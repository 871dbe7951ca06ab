#include "framework/optimizer/update_rule.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "framework/core/raise.h"
#include "framework/program/parameters.h"

namespace loci {
inline namespace v0 {
namespace optimizer {

using program::VarId;

UpdateBuilder::UpdateBuilder(std::shared_ptr<program::ProgramImpl> main,
                             program::ProgramImpl& startup, VarId learning_rate)
    : main_(std::move(main)), startup_(startup), learning_rate_(learning_rate) {}

VarId UpdateBuilder::state(VarId parameter, const char* name) {
  const program::VarDesc& desc = main_->main().var(parameter);
  program::PersistableSpec spec;
  spec.name = fmt::format("{}.{}", desc.name, name);
  if (main_->main().find(spec.name) != program::kNoVar) spec.name = main_->unique_name(spec.name);
  spec.shape = desc.type.shape;
  spec.dtype = state_dtype(desc.type.dtype);
  spec.init = initializer::constant(0.0);
  spec.guard = desc.guard;
  return program::add_persistable(main_, startup_, spec).id();
}

VarId UpdateBuilder::counter(const std::string& name, const std::string& guard) {
  program::PersistableSpec spec;
  spec.name = main_->unique_name(name);
  spec.dtype = kInt64;
  spec.init = initializer::constant(0.0);
  spec.guard = guard;
  return program::add_persistable(main_, startup_, spec).id();
}

program::OperatorSpec UpdateBuilder::update(const char* op, VarId parameter,
                                            const autograd::GradientVar& gradient) const {
  program::OperatorSpec spec;
  spec.type = op;
  spec.inputs = {
      {"param", {parameter}}, {"grad", {gradient.value}}, {"learning_rate", {learning_rate_}}};
  if (gradient.rows != program::kNoVar) spec.inputs.push_back({"rows", {gradient.rows}});
  spec.guard = main_->main().var(parameter).guard;
  spec.role = program::Role::kUpdate;
  return spec;
}

const std::string& UpdateBuilder::guard_of(VarId parameter) const {
  return main_->main().var(parameter).guard;
}

void UpdateBuilder::append(const program::OperatorSpec& spec) {
  program::append_operator(*main_, spec);
}

namespace {

// A counter at each place where there are parameters, so that a step copies nothing between places.
class StepCounters {
 public:
  StepCounters(UpdateBuilder& builder, const char* op) : builder_(builder), op_(op) {}

  VarId at(const std::string& guard) {
    const auto [known, is_new] = counters_.try_emplace(guard, program::kNoVar);
    if (is_new) known->second = builder_.counter(fmt::format("{}.step", op_), guard);
    return known->second;
  }

  // Once all updates are there.
  void advance() {
    for (const auto& [guard, counter] : counters_) {
      program::OperatorSpec count;
      count.type = "increment";
      count.inputs = {{"x", {counter}}};
      count.guard = guard;
      count.role = program::Role::kUpdate;
      builder_.append(count);
    }
  }

 private:
  UpdateBuilder& builder_;
  const char* op_;
  std::map<std::string, VarId> counters_;  // by guard
};

}  // namespace

void append_updates(UpdateBuilder& builder, const UpdateRule& rule,
                    const std::vector<VarId>& parameters,
                    const std::vector<autograd::GradientVar>& gradients) {
  StepCounters steps(builder, rule.op);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    program::OperatorSpec spec = builder.update(rule.op, parameters[i], gradients[i]);
    for (const char* state : rule.states) {
      spec.inputs.push_back({state, {builder.state(parameters[i], state)}});
    }
    if (rule.counts_steps) {
      spec.inputs.push_back({"step", {steps.at(builder.guard_of(parameters[i]))}});
    }
    spec.attributes = rule.attributes;
    builder.append(spec);
  }
  steps.advance();
}

void check_share(const char* optimizer, const char* what, double value) {
  if (value >= 0 && value < 1) return;
  core::raise(ErrorCode::kInvalidArgument, "[{}] {} is {}; give one in [0, 1)", optimizer, what,
              value);
}

}  // namespace optimizer
}  // namespace v0
}  // namespace loci
