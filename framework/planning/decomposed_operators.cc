#include "framework/planning/decomposed_operators.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "framework/core/log.h"
#include "framework/device/device_manager.h"
#include "framework/dispatch/decomposition.h"
#include "framework/planning/deferral.h"
#include "framework/planning/placement.h"
#include "framework/planning/stage_types.h"
#include "framework/planning/variable_values.h"
#include "framework/program/guard_text.h"

namespace loci::planning {
namespace {

using execution::PlaceReason;
using execution::Plan;
using program::Operator;
using program::VarId;

// An operator of the stage, and what it is written in, if it is.
struct Choice {
  const Operator* op = nullptr;
  std::optional<dispatch::Decomposition> decomposition;
  Place place;
  bool falls_back = false;  // the CPU stands in, with the parts
  BoundOperator bound;      // without a kernel: it was not asked about, or there is none
};

ops::TypeSlots types_of(const std::vector<program::Slot>& slots, const TypeBinder& binder) {
  ops::TypeSlots types;
  for (const program::Slot& slot : slots) {
    std::vector<ops::TensorType>& list = types.emplace_back();
    for (const VarId id : slot) list.push_back(binder.bound(id));
  }
  return types;
}

bool is_same_place(const std::string& guard, const std::string& other, const PlanRequest& request) {
  const Place& preferred = request.device->place();
  const auto resolved = [&](const std::string& text) {
    const Place place = text.empty() ? preferred : program::guarded_place(text);
    return device::DeviceManager::instance().resolve(place, preferred);
  };
  return guard == other || resolved(guard) == resolved(other);
}

// Marks the inputs that lowering offers in any layout, so that it finds prepared the kernel that is
// asked for here. State that has a place of another guard may not be there to be packed.
std::vector<std::vector<bool>> constants_of(const Operator& op, const PlanRequest& request,
                                            const program::Block& block, const TypeBinder& binder) {
  std::vector<std::vector<bool>> constants;
  for (std::size_t slot = 0; slot < op.inputs.size(); ++slot) {
    const bool is_offered = request.options.pack_constants &&
                            op.schema->inputs()[slot].residence == ops::Residence::kDevice;
    std::vector<bool>& list = constants.emplace_back();
    for (const VarId id : op.inputs[slot]) {
      const program::VarDesc& var = block.var(id);
      const bool may_lie_there = var.guard.empty() || is_same_place(var.guard, op.guard, request);
      list.push_back(is_offered && may_lie_there && is_constant(request, var, binder.bound(id)));
    }
  }
  return constants;
}

// Where the CPU would stand in for the device: without a kernel of the operator, but with kernels
// of its parts.
void fall_back_in_parts(const dispatch::TypedOperator& op, const PlanRequest& request,
                        dispatch::KernelCache* kernels, Choice* choice) {
  const bool is_bound = choice->decomposition || choice->bound.kernel.found();
  const bool is_guarded = request_reason(*choice->op) == PlaceReason::kUserGuard;
  if (is_bound || is_guarded || choice->place.is_host()) return;
  if (request.options.fallback == FallbackPolicy::kError)
    return;  // it is refused when it is placed
  device::Device& host = device::DeviceManager::instance().get(Place());
  dispatch::Binding own;
  choice->decomposition = dispatch::decompose(op, host, kernels, &own);
  if (!choice->decomposition) return;
  choice->falls_back = true;
  choice->decomposition->refusals =
      dispatch::bind_kernel(*choice->bound.device, dispatch::describe(op), kernels).refusals;
}

// Finds what is decomposed.
std::vector<Choice> choose(const std::vector<const Operator*>& operators,
                           const PlanRequest& request, const Plan& plan,
                           dispatch::KernelCache* kernels) {
  const program::Block& block = plan.program->main();
  TypeBinder binder(block, *request.scope);
  begin_types(request, plan, &binder);
  Deferral deferral(block.vars.size());
  std::vector<Choice> choices;
  for (const Operator* op : operators) {
    Choice& choice = choices.emplace_back();
    choice.op = op;
    if (deferral.hangs(*op) || !binder.missing_values(*op).empty() || peels(*op, &binder)) {
      deferral.add(*op);
      continue;
    }
    binder.bind(*op);
    if (!op->schema->decompose_fn()) continue;
    device::Device& device = requested_device(*op, *request.device);
    choice.place = device.place();
    choice.bound.device = &device;
    choice.bound.constants = constants_of(*op, request, block, binder);
    const dispatch::TypedOperator typed{*op->schema, op->attributes, types_of(op->inputs, binder),
                                        types_of(op->outputs, binder), choice.bound.constants};
    choice.decomposition = dispatch::decompose(typed, device, kernels, &choice.bound.kernel);
    fall_back_in_parts(typed, request, kernels, &choice);
  }
  return choices;
}

// Writes the operators that stand for one in a block.
class Rewriting {
 public:
  Rewriting(program::Block& block, const Choice& choice,
            std::unordered_map<std::string, std::string>* origins)
      : block_(block),
        op_(*choice.op),
        guard_(choice.falls_back ? program::guard_text(Place(), program::Standing::kFound)
                                 : choice.op->guard),
        decomposition_(*choice.decomposition),
        origins_(*origins),
        vars_(decomposition_.types.size(), program::kNoVar) {
    origin_ = fmt::format("part of {} [{}], for which {} has no kernel: {}", op_.name, op_.type(),
                          choice.place.to_string(), decomposition_.refusals);
    if (op_.scope.empty()) {
      enclosure_ = std::make_shared<program::Enclosure>(
          program::Enclosure{op_.type(), op_.name, op_.enclosure});
    }
  }

  void run(std::vector<Operator>* into) {
    std::size_t next = 0;
    for (const program::Slot& slot : op_.inputs) {
      for (const VarId id : slot) vars_[next++] = id;
    }
    for (std::size_t slot = 0; slot < op_.outputs.size(); ++slot) {
      for (std::size_t i = 0; i < op_.outputs[slot].size(); ++i) {
        vars_[at(decomposition_.outputs[slot][i])] = op_.outputs[slot][i];
      }
    }
    for (std::size_t i = 0; i < decomposition_.calls.size(); ++i) {
      into->push_back(part(decomposition_.calls[i], i));
      origins_[into->back().name] = origin_;
    }
  }

 private:
  static std::size_t at(std::int32_t number) { return static_cast<std::size_t>(number); }

  // Under the operator's guard, or on the CPU that stands in; a profile shows it within the
  // operator, or within the gradient that this is part of.
  Operator part(const ops::ListedCall& call, std::size_t position) {
    Operator made;
    made.schema = call.schema;
    made.name = fmt::format("{}.{}_{}", op_.name, call.schema->name(), position);
    made.attributes = call.schema->complete(call.attributes);
    made.guard = guard_;
    made.role = op_.role;
    made.scope = op_.scope;
    made.origin = op_.origin;
    made.enclosure = op_.scope.empty() ? enclosure_ : op_.enclosure;
    made.inputs.resize(call.schema->inputs().size());
    for (const ops::ListedCall::Slot& slot : call.inputs) {
      const auto index = static_cast<std::size_t>(call.schema->input_index(slot.name));
      for (const std::int32_t value : slot.values) made.inputs[index].push_back(vars_[at(value)]);
    }
    std::size_t number = at(call.first_output);
    for (std::size_t slot = 0; slot < call.output_counts.size(); ++slot) {
      program::Slot& outputs = made.outputs.emplace_back();
      for (std::int32_t i = 0; i < call.output_counts[slot]; ++i, ++number) {
        if (vars_[number] == program::kNoVar) {
          vars_[number] =
              add_var(fmt::format("{}.{}", made.name, call.schema->outputs()[slot].name), number);
        }
        outputs.push_back(vars_[number]);
      }
    }
    return made;
  }

  VarId add_var(std::string name, std::size_t number) {
    while (block_.find(name) != program::kNoVar) name += '_';
    program::VarDesc desc;
    desc.name = std::move(name);
    desc.type = decomposition_.types[number];
    return block_.add_var(std::move(desc));
  }

  program::Block& block_;
  const Operator& op_;
  const std::string guard_;
  const dispatch::Decomposition& decomposition_;
  std::unordered_map<std::string, std::string>& origins_;
  std::vector<VarId> vars_;  // by number of the value
  std::string origin_;
  std::shared_ptr<const program::Enclosure> enclosure_;
};

BoundOperators take_bound(std::vector<Choice>* choices) {
  BoundOperators bound;
  for (Choice& choice : *choices) {
    if (choice.bound.kernel.found()) bound.emplace(choice.op, std::move(choice.bound));
  }
  return bound;
}

void log_choice(const Choice& choice) {
  std::vector<std::string> parts;
  for (const ops::ListedCall& call : choice.decomposition->calls) {
    parts.push_back(call.schema->name());
  }
  core::log(core::Module::kExecutor, core::Level::kDebug, "{} [{}] is decomposed at {} into {}: {}",
            choice.op->name, choice.op->type(), choice.place.to_string(), fmt::join(parts, ", "),
            choice.decomposition->refusals);
}

void tell_fallbacks(const std::vector<Choice>& choices, const PlanRequest& request) {
  if (request.options.fallback != FallbackPolicy::kWarn) return;
  FallbackLog log;
  for (const Choice& choice : choices) {
    if (!choice.falls_back) continue;
    log.add(choice.op->type(), choice.place, choice.decomposition->refusals);
  }
  request.fallbacks != nullptr ? request.fallbacks->add(log) : log.warn(request.told);
}

}  // namespace

DecomposedOperators decompose_operators(const PlanRequest& request, const Plan& plan,
                                        dispatch::KernelCache* kernels) {
  const std::vector<const Operator*> operators = operators_of_stage(request, plan);
  const bool may_be = std::any_of(operators.begin(), operators.end(), [](const Operator* op) {
    return op->schema->decompose_fn() != nullptr;
  });
  if (!may_be) return {};
  std::vector<Choice> choices = choose(operators, request, plan, kernels);
  const bool is = std::any_of(choices.begin(), choices.end(), [](const Choice& choice) {
    return choice.decomposition.has_value();
  });
  if (!is) return {nullptr, {}, take_bound(&choices)};
  tell_fallbacks(choices, request);
  DecomposedOperators result;
  auto program = std::make_shared<program::ProgramImpl>(*plan.program);
  std::vector<Operator> rewritten;
  for (const Choice& choice : choices) {
    if (!choice.decomposition) {
      rewritten.push_back(*choice.op);
      continue;
    }
    log_choice(choice);
    Rewriting(program->main(), choice, &result.origins).run(&rewritten);
  }
  program->main().ops = std::move(rewritten);
  result.program = std::move(program);
  return result;
}

}  // namespace loci::planning
