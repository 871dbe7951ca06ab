#include "framework/execution/capture_problems.h"

#include <fmt/format.h>

#include <algorithm>

#include "framework/dispatch/capture_refusal.h"
#include "framework/execution/continuation.h"
#include "framework/execution/loop.h"
#include "framework/execution/place_reason.h"
#include "framework/program/control_flow.h"

namespace loci::execution {
namespace {

CaptureProblem of_transfer(std::size_t index, const TransferStep& copy,
                           const device::Device& device) {
  return {index,
          fmt::format("'{}' is copied between places for [{}], and the host waits for it",
                      copy.labels.variable, copy.labels.consumer),
          fmt::format("put the operators at {}, and run the program once before the capture",
                      device.place().to_string())};
}

bool is_of_kernels(PlaceReason reason) {
  return reason == PlaceReason::kNoKernel || reason == PlaceReason::kDecomposed;
}

CaptureProblem of_other_place(const Plan& plan, std::size_t index, const device::Device& device) {
  const Instruction& instruction = plan.instructions[index];
  const PlanOperator& op = plan.operators[static_cast<std::size_t>(instruction.op)];
  return {index,
          fmt::format(
              "it runs at {} ({}), and the graph is of {}", instruction.device->place().to_string(),
              is_of_kernels(op.reason) ? std::string_view(op.detail) : place_reason_name(op.reason),
              device.place().to_string()),
          "give it a kernel or a guard for that place, or leave it out of the capture"};
}

constexpr const char* kHostReadsRemedy =
    "capture the steps without it, or run it between two graphs";

// Returns true if the operator reads values, or an extent, that the stage awaits.
bool awaits(const program::Operator& op, const StageEnd& end) {
  const auto is_awaited = [&end](program::VarId id) {
    const auto bounded = std::find_if(end.bounded.begin(), end.bounded.end(),
                                      [id](const auto& pair) { return pair.first == id; });
    const program::VarId var = bounded == end.bounded.end() ? id : bounded->second;
    return std::any_of(end.awaited.begin(), end.awaited.end(),
                       [var](const AwaitedValue& value) { return value.var == var; });
  };
  return std::any_of(op.inputs.begin(), op.inputs.end(), [&](const program::Slot& slot) {
    return std::any_of(slot.begin(), slot.end(), is_awaited);
  });
}

bool is_on_host(const Plan& plan, ValueId value) {
  if (value < 0) return false;
  const PlanValue& found = value_of(plan, value);
  return found.space == nullptr && found.bytes > 0;
}

}  // namespace

const char* loop_refusal(const LoopStep& loop) {
  return loop.condition != nullptr ? "its condition is read on the host"
                                   : "each of its steps runs a plan of its own";
}

CaptureProblem capture_problem(const Plan& plan, std::size_t index, const device::Device& device) {
  const Instruction& instruction = plan.instructions[index];
  if (const TransferStep* copy = instruction.transfer()) return of_transfer(index, *copy, device);
  if (const LoopStep* loop = instruction.loop()) {
    return {index, loop_refusal(*loop), kHostReadsRemedy};
  }
  if (instruction.branch() != nullptr) return {index, kDecidedOnHost, kHostReadsRemedy};
  if (instruction.device != &device) return of_other_place(plan, index, device);
  return {index, {}, {}};
}

std::string record_refusal(const Plan& plan, std::size_t index) {
  const Instruction& instruction = plan.instructions[index];
  std::vector<bool> on_host;
  for (std::size_t i = 0; i < instruction.inputs.size(); ++i) {
    on_host.push_back(instruction.reads(i) && is_on_host(plan, instruction.inputs[i]));
  }
  for (const ValueId output : instruction.outputs) on_host.push_back(is_on_host(plan, output));
  return dispatch::capture_refusal(
      *plan.operators[static_cast<std::size_t>(instruction.op)].op->schema,
      *instruction.launch()->kernel, on_host, instruction.inputs.size());
}

std::vector<CaptureProblem> capture_problems(const Plan& plan, const device::Device& device) {
  std::vector<CaptureProblem> problems;
  for (std::size_t i = 0; i < plan.instructions.size(); ++i) {
    CaptureProblem problem = capture_problem(plan, i, device);
    if (!problem.reason.empty()) problems.push_back(std::move(problem));
  }
  return problems;
}

std::vector<RestProblem> rest_problems(const Plan& plan) {
  std::vector<RestProblem> problems;
  if (plan.rest == nullptr) return problems;
  const StageEnd& end = plan.rest->end();
  bool has_extents = false;
  for (const program::Operator* op : end.operators) {
    if (!program::is_branching(*op)) {
      has_extents = has_extents || awaits(*op, end);
      continue;
    }
    const auto refusal = end.refusals.find(op);
    problems.push_back({fmt::format("[{}] {}", op->type(), op->name),
                        refusal == end.refusals.end()
                            ? kDecidedOnHost
                            : fmt::format("{}: {}", kDecidedOnHost, refusal->second),
                        kHostReadsRemedy});
  }
  if (has_extents || problems.empty()) {
    problems.push_back({"[capture] the program",
                        "it has extents that hang on values, which the host reads within the run",
                        "capture programs of fixed extents"});
  }
  return problems;
}

}  // namespace loci::execution
