#include "framework/eager/gradient_script.h"

#include <algorithm>
#include <utility>

#include "framework/eager/call.h"
#include "framework/eager/call_scope.h"
#include "framework/eager/thread_state.h"
#include "framework/ops/grad_context.h"

namespace loci::eager {
namespace {

using ops::TensorType;
using ops::Value;

bool has_bit(std::uint64_t mask, std::size_t index) {
  return index >= 64 || ((mask >> index) & 1U) != 0;
}

std::vector<TensorType> argument_types(const CallPlan& plan, std::uint64_t given) {
  std::vector<TensorType> types;
  for (const PlannedInput& input : plan.inputs) {
    types.push_back(input.value < 0 ? TensorType{} : input.type);
  }
  for (const PlannedOutput& output : plan.outputs) {
    types.push_back(output.is_absent ? TensorType{} : output.type);
  }
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    const PlannedOutput& output = plan.outputs[i];
    const bool has = !output.is_absent && is_floating(output.type.dtype) && has_bit(given, i);
    types.push_back(has ? output.type : TensorType{});
  }
  return types;
}

// One call seen from its gradient.
class ScriptContext final : public ops::SlotGradContext {
 public:
  ScriptContext(const CallPlan& plan, ops::CallList& emitter, std::uint64_t wanted,
                std::vector<GradientScript::Result>* results)
      : SlotGradContext(*plan.schema),
        plan_(plan),
        emitter_(emitter),
        wanted_(wanted),
        results_(*results) {}

  [[nodiscard]] const Attributes& attributes() const override { return plan_.attributes; }

 private:
  [[nodiscard]] Value input_at(std::size_t slot, std::size_t index) const override {
    return value_at(0, find(plan_.inputs, slot, index));
  }
  [[nodiscard]] std::size_t input_count_at(std::size_t slot) const override {
    return static_cast<std::size_t>(std::count_if(
        plan_.inputs.begin(), plan_.inputs.end(),
        [&](const PlannedInput& input) { return input.slot == slot && input.value >= 0; }));
  }
  [[nodiscard]] Value output_at(std::size_t slot, std::size_t index) const override {
    return value_at(plan_.inputs.size(), find(plan_.outputs, slot, index));
  }
  [[nodiscard]] Value output_grad_at(std::size_t slot, std::size_t index) const override {
    return value_at(plan_.inputs.size() + plan_.outputs.size(), find(plan_.outputs, slot, index));
  }
  [[nodiscard]] bool needs_grad_at(std::size_t slot, std::size_t index) const override {
    const std::int64_t flat = find(plan_.inputs, slot, index);
    if (flat < 0) return false;
    const PlannedInput& input = plan_.inputs[static_cast<std::size_t>(flat)];
    return input.value >= 0 && is_floating(input.type.dtype) &&
           has_bit(wanted_, static_cast<std::size_t>(flat));
  }
  void contribute(std::size_t slot, std::size_t index, Value grad) override {
    result(slot, index) = {grad.id, -1};
  }
  void contribute(std::size_t slot, std::size_t index, const ops::RowSparse& grad) override {
    result(slot, index) = {grad.values.id, grad.rows.id};
  }

  // Slots ascend, and their arguments may be many.
  template <class Planned>
  static std::int64_t find(const std::vector<Planned>& flat, std::size_t slot, std::size_t index) {
    const auto first = std::lower_bound(
        flat.begin(), flat.end(), slot,
        [](const Planned& each, std::size_t wanted) { return each.slot < wanted; });
    const auto at = static_cast<std::size_t>(first - flat.begin()) + index;
    return at < flat.size() && flat[at].slot == slot ? static_cast<std::int64_t>(at) : -1;
  }
  [[nodiscard]] Value value_at(std::size_t base, std::int64_t flat) const {
    return flat < 0 ? Value{} : emitter_.value(base + static_cast<std::size_t>(flat));
  }
  GradientScript::Result& result(std::size_t slot, std::size_t index) {
    return results_[static_cast<std::size_t>(find(plan_.inputs, slot, index))];
  }

  const CallPlan& plan_;
  ops::CallList& emitter_;
  std::uint64_t wanted_;
  std::vector<GradientScript::Result>& results_;
};

}  // namespace

GradientScript::GradientScript(const CallPlan& plan, std::uint64_t wanted, std::uint64_t given)
    : results_(plan.inputs.size()) {
  ops::CallList list(argument_types(plan, given));
  ScriptContext context(plan, list, wanted, &results_);
  plan.schema->gradient_fn()(context);
  value_count_ = list.types().size();
  for (ops::ListedCall& call : list.take_calls()) steps_.push_back({std::move(call)});
  note_reads(plan.inputs.size() + plan.outputs.size());
  note_last_uses();
}

void GradientScript::note_reads(std::size_t argument_count) {
  std::vector<bool> reads(argument_count);
  std::vector<bool> measures(argument_count);
  const auto note = [&](std::vector<bool>& marks, std::int32_t id) {
    if (id >= 0 && static_cast<std::size_t>(id) < argument_count) {
      marks[static_cast<std::size_t>(id)] = true;
    }
  };
  for (const Step& step : steps_) {
    const ops::OpSchema& schema = *step.call.schema;
    for (const ops::ListedCall::Slot& slot : step.call.inputs) {
      const auto index = static_cast<std::size_t>(schema.input_index(slot.name));
      const bool is_metadata = schema.inputs()[index].residence == ops::Residence::kMetadata;
      for (const std::int32_t id : slot.values) note(is_metadata ? measures : reads, id);
    }
  }
  for (const Result& result : results_) {
    note(reads, result.value);
    note(reads, result.rows);
  }
  for (std::size_t i = 0; i < argument_count; ++i) {
    if (reads[i]) {
      reads_.push_back(static_cast<std::int32_t>(i));
    } else if (measures[i]) {
      measures_.push_back(static_cast<std::int32_t>(i));
    }
  }
}

void GradientScript::note_last_uses() {
  std::vector<bool> is_used(value_count_);
  for (const Result& result : results_) {
    if (result.value >= 0) is_used[static_cast<std::size_t>(result.value)] = true;
    if (result.rows >= 0) is_used[static_cast<std::size_t>(result.rows)] = true;
  }
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    for (auto slot = step->call.inputs.rbegin(); slot != step->call.inputs.rend(); ++slot) {
      for (auto id = slot->values.rbegin(); id != slot->values.rend(); ++id) {
        const auto at = static_cast<std::size_t>(*id);
        step->is_last_use.push_back(!is_used[at]);
        is_used[at] = true;
      }
    }
    std::reverse(step->is_last_use.begin(), step->is_last_use.end());
  }
}

void GradientScript::run(Values& values) const {
  for (const Step& step : steps_) run_step(step, values);
}

void GradientScript::forget_last_used(const Step& step, Values& values) {
  std::size_t next = 0;
  for (const ops::ListedCall::Slot& slot : step.call.inputs) {
    for (const std::int32_t id : slot.values) {
      if (step.is_last_use[next++]) values[static_cast<std::size_t>(id)] = Tensor();
    }
  }
}

void GradientScript::run_step(const Step& step, Values& values) {
  InlineList<TensorRef, 6> inputs;
  for (const ops::ListedCall::Slot& slot : step.call.inputs) {
    for (const std::int32_t id : slot.values) {
      inputs.push_back(values[static_cast<std::size_t>(id)]);
    }
  }
  const auto make_call = [&] {
    OpCall<Tensor> call(step.call.schema->name());
    for (const ops::ListedCall::Slot& slot : step.call.inputs)
      call.slots.push_back({slot.name, slot.values.size()});
    for (const TensorRef& input : inputs) call.values.push_back(input);
    for (const auto& [name, value] : step.call.attributes) call.attributes.push_back({name, value});
    return call;
  };
  std::call_once(*step.planned, [&] {
    OpCall<Tensor> call = make_call();
    PlannedCall planned = plan_of(call);
    if (planned.is_lasting) step.plan = std::move(planned.plan);
  });
  TensorList outputs;
  if (step.plan != nullptr) {
    outputs = run_call(step.plan, inputs.data(), thread_state(), nullptr);
  } else {
    OpCall<Tensor> call = make_call();
    CallScope scope(step.call.schema->name());
    const std::shared_ptr<const CallPlan> plan = plan_of(call).plan;
    scope.set_plan(*plan);
    outputs = run_call(plan, call.values.data(), thread_state(), nullptr);
  }
  forget_last_used(step, values);
  // An absent optional output has no number.
  std::size_t next = static_cast<std::size_t>(step.call.first_output);
  const std::size_t end = next + static_cast<std::size_t>(step.call.output_count());
  for (Tensor& output : outputs) {
    if (output.defined() && next < end) values[next++] = std::move(output);
  }
}

}  // namespace loci::eager
