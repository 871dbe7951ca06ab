#include "framework/capture/program_run.h"

#include <utility>

#include "framework/core/raise.h"
#include "framework/run/loop.h"
#include "framework/run/operator_log.h"

namespace loci::capture {
namespace {

using runtime::Instruction;
using runtime::Plan;

[[noreturn]] void refuse(const Plan& plan, std::size_t instruction, std::string_view reason) {
  core::raise(ErrorCode::kInvalidArgument, "{} cannot be captured: {}",
              runtime::describe_instruction(plan, instruction), reason);
}

// Why one device's graph cannot have it.
void check_instruction(const Plan& plan, std::size_t index, const device::Device& device) {
  const Instruction& instruction = plan.instructions[index];
  if (const runtime::TransferStep* copy = instruction.transfer()) {
    refuse(plan, index,
           fmt::format("'{}' is copied between places for [{}], and the host waits for it; put the "
                       "operators at {}, and run the program once before the capture",
                       copy->labels.variable, copy->labels.consumer, device.place().to_string()));
  }
  if (const runtime::LoopStep* loop = instruction.loop()) {
    refuse(plan, index,
           loop->condition != nullptr
               ? "its condition is read on the host; capture the steps without it, or run it "
                 "between two graphs"
               : "each of its steps runs a plan of its own; run it between two graphs");
  }
  if (instruction.device != &device) {
    const runtime::PlanOperator& op = plan.operators[static_cast<std::size_t>(instruction.op)];
    refuse(plan, index,
           fmt::format(
               "it runs at {} ({}), and the graph is of {}; give it a kernel or a guard "
               "for that place, or leave it out of the capture",
               instruction.device->place().to_string(),
               op.detail.empty() ? std::string(runtime::place_reason_name(op.reason)) : op.detail,
               device.place().to_string()));
  }
}

void check_plan(const Plan& plan, const device::Device& device) {
  for (std::size_t i = 0; i < plan.instructions.size(); ++i) check_instruction(plan, i, device);
  if (plan.rest != nullptr) {
    core::raise(ErrorCode::kInvalidArgument,
                "[capture] the program has extents that hang on values, which the host reads "
                "within the run; capture programs of fixed extents");
  }
}

}  // namespace

ProgramRun::ProgramRun(std::shared_ptr<const Plan> plan, std::shared_ptr<tensor::ScopeImpl> scope,
                       const device::Device& device, runtime::FrameMemory& memory)
    : plan_(std::move(plan)), scope_(std::move(scope)) {
  check_plan(*plan_, device);
  frame_ = std::make_unique<runtime::Frame>(*plan_, &memory);
}

void ProgramRun::bind(std::uint64_t graph) {
  if (frame_->bind_scope(*scope_)) return;
  std::string names;
  for (const runtime::PlanPersistable& variable : plan_->persistables) {
    const Tensor tensor = scope_->find(variable.name);
    const ops::TensorType& type = runtime::value_of(*plan_, variable.value).type;
    if (!tensor.defined() || type == ops::TensorType{tensor.dtype(), tensor.shape()}) continue;
    names += fmt::format("{}'{}' was {}{} and is {}{}", names.empty() ? "" : ", ", variable.name,
                         dtype_name(type.dtype), type.shape.to_string(), dtype_name(tensor.dtype()),
                         tensor.shape().to_string());
  }
  core::raise(ErrorCode::kInvalidArgument,
              "[replay] graph {} is of other types than the scope has now: {}; capture again",
              graph, names);
}

void ProgramRun::check(std::uint64_t graph) const {
  for_each_variable([&](const runtime::PlanPersistable& variable, const tensor::Storage& storage) {
    if (variable.written_first || !storage.uses.has_failed()) return;
    if (!storage.uses.pending(/*writers_only=*/true).empty()) return;  // may be written anew
    const std::shared_ptr<device::Failure> failure = storage.uses.failure();
    if (failure == nullptr) return;
    throw Error(failure->error.code(),
                fmt::format("[replay] graph {} reads the variable '{}', which has no elements: {}",
                            graph, variable.name, failure->error.what()),
                failure->error.details());
  });
}

bool ProgramRun::is_ready() const {
  bool all = true;
  for_each_variable([&](const runtime::PlanPersistable& variable, tensor::Storage& storage) {
    all = all && storage.uses.has_ended(/*writers_only=*/!variable.is_written);
  });
  return all;
}

void ProgramRun::enter_uses(const tensor::Ticket& ticket,
                            InlineList<eager::Dependency, 4>* before) const {
  for_each_variable([&](const runtime::PlanPersistable& variable, tensor::Storage& storage) {
    tensor::Tickets tickets;
    storage.uses.enter(ticket, variable.is_written, &tickets);
    for (const tensor::Ticket& earlier : tickets) {
      before->push_back({earlier, /*is_source=*/!variable.written_first, /*for_host=*/false});
    }
  });
}

void ProgramRun::fail(const std::shared_ptr<device::Failure>& failure) const {
  for_each_variable([&](const runtime::PlanPersistable& variable, tensor::Storage& storage) {
    if (variable.is_written) storage.uses.fail(failure);
  });
}

std::shared_ptr<device::Failure> ProgramRun::failure() const {
  std::shared_ptr<device::Failure> found;
  for_each_variable([&](const runtime::PlanPersistable& variable, const tensor::Storage& storage) {
    if (found == nullptr && !variable.written_first) found = storage.uses.failure();
  });
  return found;
}

std::shared_ptr<device::Failure> ProgramRun::known_failure() const {
  std::shared_ptr<device::Failure> found;
  for_each_variable([&](const runtime::PlanPersistable& variable, const tensor::Storage& storage) {
    if (found != nullptr || variable.written_first) return;
    for (const tensor::Ticket& ticket : storage.uses.pending(/*writers_only=*/true)) {
      if (found == nullptr) found = ticket.queue->known_failure(ticket.number);
    }
  });
  return found;
}

void ProgramRun::clear_failures() const {
  for_each_variable([&](const runtime::PlanPersistable& variable, tensor::Storage& storage) {
    if (variable.written_first) storage.uses.clear_failure();
  });
}

}  // namespace loci::capture
