#include <fmt/format.h>

#include <algorithm>
#include <loci/inspect.hpp>

#include "framework/execution/continuation.h"
#include "framework/execution/control_step.h"
#include "framework/execution/operator_log.h"
#include "framework/executor/executor_impl.h"
#include "framework/plugin/layout_table.h"

namespace loci {
inline namespace v0 {
namespace inspect {
namespace {

std::string space_name(execution::Space space) {
  return space == nullptr ? Place().to_string() : space->place().to_string();
}

// Fills what the schedule says of an instruction.
template <class Planned>
void describe_step(const execution::Plan& plan, std::size_t index, Planned* planned) {
  if (plan.schedule == nullptr) return;
  const execution::ScheduledStep& step = plan.schedule->steps[index];
  if (step.stream != execution::ScheduledStep::kHost) {
    const auto stream = static_cast<std::size_t>(step.stream);
    planned->stream = static_cast<int>(plan.schedule->streams[stream].index);
  }
  for (const auto& waits : {step.host_waits, step.stream_waits}) {
    for (const std::uint32_t on : waits)
      planned->waits_for.push_back(execution::instruction_name(plan, on));
  }
}

PlannedTransfer describe(const execution::Plan& plan, std::size_t index) {
  const execution::TransferStep& step = *plan.instructions[index].transfer();
  const execution::PlanValue& from = plan.values[static_cast<std::size_t>(step.from)];
  const execution::PlanValue& to = plan.values[static_cast<std::size_t>(step.to)];
  PlannedTransfer planned;
  planned.variable = step.labels.variable;
  planned.producer = step.labels.producer;
  planned.consumer = step.labels.consumer;
  planned.from = space_name(from.space);
  planned.to = space_name(to.space);
  planned.reason = transfer::reason_name(step.labels.reason);
  planned.bytes = from.bytes;
  planned.synchronous = plan.schedule == nullptr || plan.schedule->steps[index].blocks ||
                        plan.schedule->steps[index].stream == execution::ScheduledStep::kHost;
  describe_step(plan, index, &planned);
  return planned;
}

// Those of a loop's blocks are made in each iteration, and of a branch's those of one.
void add_transfers(const execution::Plan& plan, std::vector<PlannedTransfer>* list) {
  for (std::size_t i = 0; i < plan.instructions.size(); ++i) {
    const execution::Instruction& instruction = plan.instructions[i];
    if (instruction.transfer() != nullptr) list->push_back(describe(plan, i));
    const execution::ControlStep* control = instruction.control();
    if (control == nullptr) continue;
    for (const execution::Plan* block : control->plans()) add_transfers(*block, list);
  }
}

void add_packed(const execution::Plan& plan, std::vector<PackedConstant>* list) {
  for (const execution::PlanPacked& packed : plan.packed) {
    const plugin::Layout& layout = *plugin::find_layout(packed.packing.layout);
    list->push_back({packed.packing.variable, packed.packing.consumer,
                     packed.packing.device->place().to_string(), layout.text, layout.bytes});
  }
}

void add_laid_out(const execution::Plan& plan, std::vector<LaidOutValue>* list) {
  for (const execution::Instruction& instruction : plan.instructions) {
    if (instruction.launch() == nullptr) continue;
    for (const execution::ValueId id : instruction.outputs) {
      if (id < 0 || execution::value_of(plan, id).layout == LOCI_LAYOUT_PLAIN) continue;
      const execution::PlanValue& value = execution::value_of(plan, id);
      list->push_back({value.name,
                       plan.operators[static_cast<std::size_t>(instruction.op)].op->name,
                       instruction.device->place().to_string(),
                       plugin::find_layout(value.layout)->text, value.bytes});
    }
  }
}

void add_replicas(const execution::Plan& plan, std::vector<ReplicatedConstant>* list) {
  for (const execution::PlanReplica& replica : plan.replicas) {
    list->push_back({replica.labels.variable, replica.labels.consumer, replica.place.to_string(),
                     execution::value_of(plan, replica.value).bytes});
  }
}

// Visits the plan and the blocks in it.
template <class Visit>
void for_each_plan(const execution::Plan& plan, const Visit& visit) {
  visit(plan);
  for (const execution::Instruction& instruction : plan.instructions) {
    const execution::ControlStep* control = instruction.control();
    if (control == nullptr) continue;
    for (const execution::Plan* block : control->plans()) for_each_plan(*block, visit);
  }
}

PlannedOperator describe(const execution::PlanOperator& planned) {
  return {planned.op->name,
          planned.op->type(),
          planned.device->place().to_string(),
          std::string(execution::place_reason_name(planned.reason)),
          planned.detail,
          planned.kernel,
          /*stream=*/0,
          /*waits_for=*/{}};
}

// Returns the variable that this one hangs on in the next stage; kNoVar if it is known.
program::VarId awaited_behind(const execution::StageEnd& end, program::VarId id) {
  const auto bounded = std::find_if(end.bounded.begin(), end.bounded.end(),
                                    [id](const auto& pair) { return pair.first == id; });
  const program::VarId var = bounded == end.bounded.end() ? id : bounded->second;
  const bool awaited =
      std::any_of(end.awaited.begin(), end.awaited.end(),
                  [var](const execution::AwaitedValue& value) { return value.var == var; });
  return awaited ? var : program::kNoVar;
}

bool contains(const std::vector<program::VarId>& vars, program::VarId id) {
  return std::find(vars.begin(), vars.end(), id) != vars.end();
}

std::vector<program::VarId> flat(const std::vector<program::Slot>& slots) {
  std::vector<program::VarId> vars;
  for (const program::Slot& slot : slots) vars.insert(vars.end(), slot.begin(), slot.end());
  return vars;
}

// Returns what an operator waits for; `later` holds what those before it compute that wait as well.
std::vector<program::VarId> waits_for(const program::Operator& op, const execution::StageEnd& end,
                                      const std::vector<program::VarId>& later) {
  std::vector<program::VarId> waits;
  for (const program::VarId id : flat(op.inputs)) {
    if (id == program::kNoVar) continue;
    const program::VarId awaited = awaited_behind(end, id);
    const program::VarId cause = awaited == program::kNoVar && contains(later, id) ? id : awaited;
    if (cause != program::kNoVar && !contains(waits, cause)) waits.push_back(cause);
  }
  return waits;
}

std::vector<DeferredOperator> deferred_operators(const execution::Plan& plan) {
  std::vector<DeferredOperator> deferred;
  if (plan.rest == nullptr) return deferred;
  const program::Block& block = plan.program->main();
  std::vector<program::VarId> later;
  for (const program::Operator* op : plan.rest->end().operators) {
    DeferredOperator& entry = deferred.emplace_back();
    entry.name = op->name;
    entry.type = op->type();
    for (const program::VarId id : waits_for(*op, plan.rest->end(), later)) {
      entry.waits_for.push_back(block.var(id).name);
    }
    const std::vector<program::VarId> outputs = flat(op->outputs);
    later.insert(later.end(), outputs.begin(), outputs.end());
  }
  return deferred;
}

}  // namespace

Plan plan(const Executor& executor, const Program& program, const Feed& feed,
          const std::vector<Fetch>& fetch) {
  const auto compiled = executor.impl()->plan(program, feed, fetch);
  Plan report;
  for (const execution::PlanOperator& op : compiled->operators) {
    report.operators.push_back(describe(op));
  }
  report.deferred = deferred_operators(*compiled);
  for (std::size_t i = 0; i < compiled->instructions.size(); ++i) {
    const execution::Instruction& instruction = compiled->instructions[i];
    if (instruction.transfer() != nullptr) continue;
    describe_step(*compiled, i, &report.operators[static_cast<std::size_t>(instruction.op)]);
  }
  add_transfers(*compiled, &report.transfers);
  for_each_plan(*compiled, [&](const execution::Plan& each) {
    add_packed(each, &report.packed);
    add_replicas(each, &report.replicated);
    add_laid_out(each, &report.laid_out);
  });
  report.arena_bytes = execution::arena_bytes(*compiled);
  report.unshared_bytes = compiled->unshared_bytes;
  report.live_bytes = compiled->live_bytes;
  return report;
}

std::vector<Transfer> transfers() {
  std::vector<Transfer> list;
  for (const transfer::Row& row : transfer::rows()) {
    Transfer out;
    out.variable = row.labels.variable;
    out.producer = row.labels.producer;
    out.consumer = row.labels.consumer;
    out.from = row.from.to_string();
    out.to = row.to.to_string();
    out.reason = transfer::reason_name(row.labels.reason);
    out.bytes = row.bytes;
    out.host_waited = row.host_waited;
    out.microseconds = static_cast<double>(row.duration_ns) / 1000.0;
    list.push_back(std::move(out));
  }
  return list;
}

}  // namespace inspect
}  // namespace v0
}  // namespace loci
