#include "framework/eager/decomposed_call.h"

#include <loci/autograd.hpp>
#include <utility>

#include "framework/eager/call.h"
#include "framework/eager/thread_state.h"

namespace loci::eager {
namespace {

std::size_t at(std::int32_t number) { return static_cast<std::size_t>(number); }

// The call on the values of those numbers. `flat` becomes them, in the order of the slots.
CallForm form_of(const ops::ListedCall& call, const dispatch::Decomposition& decomposition,
                 const std::vector<device::Device*>& spaces, std::vector<std::int32_t>* flat) {
  CallForm form;
  form.schema = call.schema;
  form.attributes = call.schema->complete(call.attributes);
  form.inputs.resize(call.schema->inputs().size());
  form.values.resize(call.schema->inputs().size());
  for (const ops::ListedCall::Slot& slot : call.inputs) {
    const std::size_t index = at(call.schema->input_index(slot.name));
    for (const std::int32_t number : slot.values) {
      form.inputs[index].push_back({decomposition.types[at(number)], {}, {}});
      form.values[index].push_back(static_cast<std::int32_t>(flat->size()));
      form.spaces.push_back(spaces[at(number)]);
      flat->push_back(number);
    }
  }
  return form;
}

}  // namespace

DecomposedCall::DecomposedCall(const dispatch::Decomposition& decomposition, device::Device& device,
                               const std::vector<device::Device*>& spaces)
    : value_count_(decomposition.types.size()), outputs_(decomposition.outputs) {
  std::vector<device::Device*> all = spaces;
  all.resize(value_count_, device.uses_host_memory() ? nullptr : &device);
  for (const ops::ListedCall& call : decomposition.calls) {
    Step& step = steps_.emplace_back();
    step.first_output = call.first_output;
    CallForm form = form_of(call, decomposition, all, &step.values);
    step.plan = plan_call(std::move(form), {&device, /*is_guarded=*/true, FallbackPolicy::kError});
  }
}

TensorList DecomposedCall::run(const CallPlan& plan, const TensorRef* values, ThreadState& thread,
                               const void* site) const {
  const NoGrad unrecorded;
  Values known;
  known.resize(value_count_);
  std::size_t next = 0;
  for (const PlannedInput& input : plan.inputs) {
    if (input.value >= 0) known[next++] = values[input.value];
  }
  for (const Step& step : steps_) {
    InlineList<TensorRef, 6> inputs;
    for (const std::int32_t number : step.values) inputs.push_back(known[at(number)]);
    std::size_t made = at(step.first_output);
    for (Tensor& output : run_call(step.plan, inputs.data(), thread, site)) {
      if (output.defined()) known[made++] = std::move(output);
    }
  }
  TensorList results;
  std::size_t slot = 0;
  std::size_t index = 0;
  for (const PlannedOutput& output : plan.outputs) {
    if (output.slot != slot) index = 0;
    slot = output.slot;
    results.push_back(output.is_absent ? Tensor() : known[at(outputs_[slot][index++])]);
  }
  return results;
}

}  // namespace loci::eager
