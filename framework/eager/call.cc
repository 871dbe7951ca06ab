#include "framework/eager/call.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "framework/core/raise.h"
#include "framework/core/suggest.h"
#include "framework/device/device_manager.h"
#include "framework/eager/call_node.h"
#include "framework/eager/call_scope.h"
#include "framework/eager/decomposed_call.h"
#include "framework/eager/direct_call.h"
#include "framework/eager/fallback.h"
#include "framework/eager/generator.h"
#include "framework/eager/host_read.h"
#include "framework/eager/interceptor.h"
#include "framework/eager/launch.h"
#include "framework/eager/overlap.h"
#include "framework/eager/placing.h"
#include "framework/eager/relocation.h"
#include "framework/eager/thread_state.h"
#include "framework/memory/node_pool.h"
#include "framework/ops/op_registry.h"
#include "framework/profiler/parts.h"

namespace loci {
namespace eager {
namespace {

std::size_t slot_index(const ops::OpSchema& schema, std::string_view name) {
  const int index = schema.input_index(name);
  if (index >= 0) return static_cast<std::size_t>(index);
  std::vector<std::string> names;
  for (const ops::InputSlot& slot : schema.inputs()) names.push_back(slot.name);
  core::raise(ErrorCode::kInvalidArgument, "[{}] has no input '{}'{}", schema.name(), name,
              core::suggest(std::string(name), names));
}

void require_current_context(const OpCall<Tensor>& call) {
  for (const Tensor& value : call.values) tensor::require_current_context(*value.impl(), call.type);
}

[[noreturn]] void refuse_undefined(const OpCall<Tensor>& call) {
  std::size_t next = 0;
  for (const OpCall<Tensor>::Slot& slot : call.slots) {
    for (std::size_t i = 0; i < slot.count; ++i) {
      if (call.values[next++]->defined()) continue;
      core::raise(ErrorCode::kInvalidArgument,
                  "[{}] input '{}' is an undefined tensor; was it moved from, or never set?",
                  call.type, slot.name);
    }
  }
  core::raise(ErrorCode::kInvalidArgument, "[{}] an input is an undefined tensor", call.type);
}

Attributes attributes_of(const OpCall<Tensor>& call) {
  Attributes attributes;
  for (const OpCall<Tensor>::NamedAttribute& attribute : call.attributes) {
    attributes.insert_or_assign(std::string(attribute.name), attribute.value);
  }
  return attributes;
}

// A value that gives extents, read on the host. The call has it there from now on, so that it is
// copied once.
const Tensor& read_extents(OpCall<Tensor>& call, std::size_t value, const ops::OpSchema& schema,
                           std::string_view slot) {
  const Tensor& given = call.values[value];
  require_no_capture(given, std::string(slot).c_str(), schema.name().c_str());
  if (given.impl()->storage()->device != nullptr) {
    const char* name = transfer::intern(fmt::format("{}.{}", schema.name(), slot));
    Tensor read = read_on_host(given, name, schema.name().c_str());
    call.values[value] = call.keep(read);
  }
  await_elements(*call.values[value]->impl());
  return call.values[value];
}

// The call by slots of the schema. `hangs_on_values` becomes whether outputs' extents do.
CallForm form_of(OpCall<Tensor>& call, const ops::OpSchema& schema, bool* hangs_on_values) {
  CallForm form;
  form.schema = &schema;
  form.attributes = schema.complete(attributes_of(call));
  form.inputs.resize(schema.inputs().size());
  form.values.resize(schema.inputs().size());
  std::size_t next = 0;
  for (const OpCall<Tensor>::Slot& given : call.slots) {
    const std::size_t slot = slot_index(schema, given.name);
    if (!form.inputs[slot].empty()) {
      core::raise(ErrorCode::kInvalidArgument,
                  "[{}] input '{}' is given twice; give all its tensors at once", schema.name(),
                  given.name);
    }
    for (std::size_t i = 0; i < given.count; ++i, ++next) {
      const Tensor& value = call.values[next];
      ops::InferArgument argument{{value.dtype(), value.shape()}, value.name(), {}};
      if (schema.inputs()[slot].gives_extents) {
        tensor::require_elements(*value.impl(), schema.name().c_str());
        argument.host_value = read_extents(call, next, schema, given.name);
        *hangs_on_values = true;
      }
      form.inputs[slot].push_back(std::move(argument));
      form.values[slot].push_back(static_cast<std::int32_t>(next));
    }
  }
  for (const Tensor& value : call.values) form.spaces.push_back(value.impl()->storage()->device);
  return form;
}

[[noreturn]] void refuse_update(const CallPlan& plan, const Tensor& state) {
  core::raise(ErrorCode::kInvalidArgument,
              "[{}] changes '{}' {} in place, which requires a gradient; do it where none is "
              "recorded, under NoGrad",
              plan.schema->name(), state.name(), state.shape().to_string());
}

// The state that a call changes is its own output.
const Tensor& updated(const CallPlan& plan, const PlannedOutput& output, const TensorRef* values) {
  const auto input = static_cast<std::size_t>(output.updates);
  const Tensor& state = values[plan.inputs[input].value];
  if (requires_grad(state) && thread_state().records) refuse_update(plan, state);
  state.impl()->storage()->version.fetch_add(1, std::memory_order_relaxed);
  return state;
}

// Makes the outputs and enqueues the launch. The first output is `into`, if that is defined.
TensorList enqueue(const std::shared_ptr<const CallPlan>& plan, const TensorRef* values,
                   const Tensor& into, ThreadState& thread, const void* site) {
  Queue& queue = current_queue(thread, *plan->queue);
  Task task;
  task.plan = plan;
  task.site = thread.user_site(site);
  for (const PlannedInput& input : plan->inputs) {
    if (input.value < 0) {
      task.arguments.emplace_back();
    } else {
      task.arguments.push_back(values[input.value]->impl());
    }
  }
  // A device's stream needs the addresses when the work is handed over.
  const Provision provision = queue.is_inline() ? Provision::kByTask : Provision::kNow;
  TensorList results;
  for (const PlannedOutput& output : plan->outputs) {
    Tensor made;
    if (output.updates >= 0) {
      made = updated(*plan, output, values);
    } else if (results.empty() && into.defined()) {
      made = into;
    } else if (!output.is_absent) {
      made = make_output(*plan, output, queue, provision);
    }
    task.arguments.push_back(made.impl());
    results.push_back(std::move(made));
  }
  queue.submit(task);
  return results;
}

// Leaves in a bounded output only what the kernel has filled.
void trim(const CallPlan& plan, TensorList& results) {
  Tensor& bounded = results[static_cast<std::size_t>(plan.bounded)];
  const auto at = static_cast<std::size_t>(plan.count);
  const Tensor count =
      read_on_host(results[at], plan.outputs[at].name, plan.schema->name().c_str());
  Shape shape = bounded.shape();
  shape.set(0, *count.data<std::int64_t>());
  const tensor::TensorImpl& impl = *bounded.impl();
  bounded = Tensor(
      memory::make_pooled<tensor::TensorImpl>(impl.dtype(), shape, impl.storage(), impl.offset()));
}

void finish_serially(const TensorList& results) {
  for (const Tensor& result : results) {
    if (result.defined()) tensor::wait_unless_captured(*result.impl()->storage());
  }
}

transfer::Labels write_back_labels(const CallPlan& plan, const Tensor& home, std::size_t output) {
  return {home.name().empty() ? plan.outputs[output].name : transfer::intern(home.name()),
          plan.schema->name().c_str(), "", transfer::Reason::kWriteBack};
}

// State that was moved to where the op runs, and changed there, goes back to its home.
void write_back(const CallPlan& plan, const TensorRef* given, TensorList& results,
                const void* site) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::int32_t updated = plan.outputs[i].updates;
    if (updated < 0) continue;
    const Tensor& home = given[plan.inputs[static_cast<std::size_t>(updated)].value];
    if (results[i].impl() == home.impl()) continue;
    copy_elements(results[i], home, site, write_back_labels(plan, home, i));
    home.impl()->storage()->version.fetch_add(1, std::memory_order_relaxed);
    results[i] = home;
  }
}

// Returns true if the tape knows any of the inputs, so that the call may have to be recorded.
bool takes_part(const CallPlan& plan, const TensorRef* values) {
  for (const PlannedInput& input : plan.inputs) {
    if (input.value >= 0 && values[input.value]->impl()->recorded() != nullptr) return true;
  }
  return false;
}

// Reads the values that extents hang on, then finds the plan.
std::shared_ptr<const CallPlan> infer(OpCall<Tensor>& call, const ops::OpSchema& schema,
                                      ThreadState& thread, bool* hangs_on_values) {
  device::Device* guard = guarded_device(thread);
  CallForm form = form_of(call, schema, hangs_on_values);
  const profiler::Scope scope(label_of(profiler::Part::kInferShape), 0, profiler::Level::kDetail);
  const dispatch::PlacementRequest request{&place_of(call, form, guard), is_guarded(),
                                           thread.fallback};
  return plan_call(std::move(form), request);
}

bool may_alias(const CallPlan& plan) {
  for (const loci_alias& alias : plan.aliases) {
    if (alias.input == 0 && alias.output == 0) return true;
  }
  return false;
}

}  // namespace

PlannedCall plan_of(OpCall<Tensor>& call) {
  require_current_context(call);
  const ops::OpSchema& schema = ops::op_registry().get(call.type);
  ThreadState& thread = thread_state();
  bool hangs_on_values = false;
  if (!schema.is_random()) {
    const std::shared_ptr<const CallPlan> plan = infer(call, schema, thread, &hangs_on_values);
    return {plan, !hangs_on_values};
  }
  Draw draw(call, guarded_device(thread));
  return {infer(call, schema, thread, &hangs_on_values), false};
}

TensorList run_call(const std::shared_ptr<const CallPlan>& plan, const TensorRef* values,
                    ThreadState& thread, const void* site) {
  TensorList results;
  const bool is_direct = plan->is_direct || (thread.is_serial && plan->is_plain);
  if (is_direct && run_directly(plan, values, current_queue(thread, *plan->queue), site, &results))
      [[likely]] {
    if (thread.records && takes_part(*plan, values)) record_call(plan, values, results);
    if (thread.is_serial) [[unlikely]]
      finish_serially(results);
    return results;
  }
  check_fallback(*plan, thread);
  std::optional<CallScope> scope;
  if ((plan->moves || plan->bounded >= 0) && CallScope::of(*plan) == nullptr) [[unlikely]]
    scope.emplace(*plan);
  const TensorRef* given = values;
  std::optional<Relocated> moved;
  if (plan->moves) [[unlikely]]
    values = moved.emplace(*plan, values, site).data();
  std::optional<ValuesApart> apart;
  if (plan->changes_state) values = apart.emplace(*plan, values, site).data();
  if (plan->decomposition != nullptr) [[unlikely]] {
    results = plan->decomposition->run(*plan, values, thread, site);
  } else {
    results = enqueue(plan, values, Tensor(), thread, site);
  }
  if (plan->moves) [[unlikely]]
    write_back(*plan, given, results, site);
  if (plan->bounded >= 0) [[unlikely]]
    trim(*plan, results);
  if (thread.records) record_call(plan, values, results);
  if (plan->asked != nullptr) [[unlikely]] {
    moved->bring_back(results);
  }
  if (thread.is_serial) [[unlikely]]
    finish_serially(results);
  return results;
}

TensorList run_call_into(const std::shared_ptr<const CallPlan>& plan, const TensorRef* values,
                         const Tensor& target, ThreadState& thread, const void* site) {
  tensor::require_current_context(*target.impl(), plan->schema->name());
  check_fallback(*plan, thread);
  std::optional<CallScope> scope;
  if (plan->moves && CallScope::of(*plan) == nullptr) scope.emplace(*plan);
  std::optional<Relocated> moved;
  if (plan->moves) values = moved.emplace(*plan, values, site).data();
  const bool reads_target = plan->inputs[0].value >= 0 &&
                            plan->inputs[0].residence != ops::Residence::kMetadata &&
                            values[plan->inputs[0].value]->impl() == target.impl();
  const bool is_direct = plan->decomposition == nullptr &&
                         plan->space == target.impl()->storage()->device &&
                         plan->outputs[0].type == ops::TensorType{target.dtype(), target.shape()} &&
                         (!reads_target || may_alias(*plan));
  const TensorList results =
      plan->decomposition == nullptr
          ? enqueue(plan, values, is_direct ? target : Tensor(), thread, site)
          : plan->decomposition->run(*plan, values, thread, site);
  const bool recorded = thread.records && record_call(plan, values, results, reads_target ? 0 : -1);
  if (!is_direct) {
    copy_elements(results[0], target, site, write_back_labels(*plan, target, 0));
    if (recorded) {
      const Edge edge = edge_of(results[0]);
      set_node(target, edge.node, edge.output);
    }
  }
  if (!recorded && target.impl()->recorded() != nullptr && thread.records) {
    target.impl()->set_recorded(nullptr);
  }
  target.impl()->storage()->version.fetch_add(1, std::memory_order_relaxed);
  if (thread.is_serial) finish_serially({target});
  return results;
}

}  // namespace eager

inline namespace v0 {

TensorList emit_op(OpCall<Tensor>& call) {
  for (const Tensor& value : call.values) {
    if (!value.defined()) [[unlikely]]
      eager::refuse_undefined(call);
  }
  eager::ThreadState& thread = eager::thread_state();
  if (thread.interceptor != nullptr) [[unlikely]] {
    eager::require_current_context(call);
    return thread.interceptor->call(call);
  }
  const device::Device* guard = eager::guarded_device(thread);
  if (const auto& known = thread.recent.find(call, guard)) {
    // It stays where it is: nothing that a direct call does looks for another plan.
    if (known->is_direct) return eager::run_call(known, call.values.data(), thread, call.site);
    // Here another one may take its entry.
    const std::shared_ptr<const eager::CallPlan> plan = known;
    return eager::run_call(plan, call.values.data(), thread, call.site);
  }
  eager::CallScope scope(call.type);
  const eager::PlannedCall planned = eager::plan_of(call);
  scope.set_plan(*planned.plan);
  if (planned.is_lasting) thread.recent.insert(call, guard, planned.plan);
  return eager::run_call(planned.plan, call.values.data(), thread, call.site);
}

}  // namespace v0
}  // namespace loci
