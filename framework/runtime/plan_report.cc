#include <loci/inspect.hpp>

#include "framework/runtime/executor_impl.h"

namespace loci {
inline namespace v0 {
namespace inspect {
namespace {

std::string space_name(runtime::Space space) {
  return space == nullptr ? Place().to_string() : space->place().to_string();
}

PlannedTransfer describe(const runtime::Plan& plan, const runtime::TransferStep& step) {
  const runtime::PlanValue& from = plan.values[static_cast<std::size_t>(step.from)];
  const runtime::PlanValue& to = plan.values[static_cast<std::size_t>(step.to)];
  PlannedTransfer planned;
  planned.variable = step.labels.variable;
  planned.producer = step.labels.producer;
  planned.consumer = step.labels.consumer;
  planned.from = space_name(from.space);
  planned.to = space_name(to.space);
  planned.reason = transfer::reason_name(step.labels.reason);
  planned.bytes = from.bytes;
  planned.synchronous = true;
  return planned;
}

PlannedOperator describe(const runtime::PlanOperator& planned) {
  return {planned.op->name,
          planned.op->type(),
          planned.device->place().to_string(),
          std::string(runtime::place_reason_name(planned.reason)),
          planned.detail,
          planned.kernel};
}

}  // namespace

Plan plan(const Executor& executor, const Program& program, const Feed& feed,
          const std::vector<Fetch>& fetch) {
  const auto compiled = executor.impl()->plan(program, feed, fetch);
  Plan report;
  for (const runtime::PlanOperator& op : compiled->operators) {
    report.operators.push_back(describe(op));
  }
  for (const runtime::Instruction& instruction : compiled->instructions) {
    if (!instruction.kernel) {
      report.transfers.push_back(describe(*compiled, instruction.transfer));
    }
  }
  for (const runtime::Arena& arena : compiled->arenas) report.arena_bytes += arena.bytes;
  report.unshared_bytes = compiled->unshared_bytes;
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
