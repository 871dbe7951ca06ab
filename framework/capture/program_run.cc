#include "framework/capture/program_run.h"

#include <utility>

#include "framework/core/raise.h"
#include "framework/execution/capture_problems.h"
#include "framework/execution/operator_log.h"

namespace loci::capture {
namespace {

using execution::Plan;

// Throws why one device's graph cannot have it.
void check_plan(const Plan& plan, const device::Device& device) {
  // First, since the copies that bring the host its values are among what follows.
  for (const execution::RestProblem& problem : execution::rest_problems(plan)) {
    core::raise(ErrorCode::kInvalidArgument, "{} cannot be captured: {}; {}", problem.op,
                problem.reason, problem.remedy);
  }
  for (std::size_t i = 0; i < plan.instructions.size(); ++i) {
    const execution::CaptureProblem problem = execution::capture_problem(plan, i, device);
    if (problem.reason.empty()) continue;
    core::raise(ErrorCode::kInvalidArgument, "{} cannot be captured: {}; {}",
                execution::describe_instruction(plan, i), problem.reason, problem.remedy);
  }
}

}  // namespace

ProgramRun::ProgramRun(std::shared_ptr<const Plan> plan, std::shared_ptr<tensor::ScopeImpl> scope,
                       const device::Device& device, execution::FrameMemory& memory)
    : plan_(std::move(plan)), scope_(std::move(scope)) {
  check_plan(*plan_, device);
  frame_ = std::make_unique<execution::Frame>(*plan_, &memory);
}

void ProgramRun::bind(std::uint64_t graph) {
  if (frame_->bind_scope(*scope_)) return;
  std::string names;
  for (const execution::PlanPersistable& variable : plan_->persistables) {
    const Tensor tensor = scope_->find(variable.name);
    const ops::TensorType& type = execution::value_of(*plan_, variable.value).type;
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
  for_each_variable([&](const execution::PlanPersistable& variable,
                        const tensor::Storage& storage) {
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
  for_each_variable([&](const execution::PlanPersistable& variable, tensor::Storage& storage) {
    all = all && storage.uses.has_ended(/*writers_only=*/!variable.is_written);
  });
  return all;
}

void ProgramRun::enter_uses(const tensor::Ticket& ticket, InlineList<eager::Dependency, 4>* before,
                            eager::Sources* sources) const {
  for_each_variable([&](const execution::PlanPersistable& variable, tensor::Storage& storage) {
    tensor::Tickets tickets;
    tensor::Ticket source;
    storage.uses.enter(ticket, variable.is_written, &tickets, &source);
    if (!variable.written_first) eager::add_source(source, sources);
    for (const tensor::Ticket& earlier : tickets) {
      before->push_back({earlier, /*is_source=*/!variable.written_first, /*for_host=*/false});
    }
  });
}

void ProgramRun::fail(const std::shared_ptr<device::Failure>& failure) const {
  for_each_variable([&](const execution::PlanPersistable& variable, tensor::Storage& storage) {
    if (variable.is_written) storage.uses.fail(failure);
  });
}

std::shared_ptr<device::Failure> ProgramRun::failure() const {
  std::shared_ptr<device::Failure> found;
  for_each_variable(
      [&](const execution::PlanPersistable& variable, const tensor::Storage& storage) {
        if (found == nullptr && !variable.written_first) found = storage.uses.failure();
      });
  return found;
}

void ProgramRun::clear_failures() const {
  for_each_variable([&](const execution::PlanPersistable& variable, tensor::Storage& storage) {
    if (variable.written_first) storage.uses.clear_failure();
  });
}

}  // namespace loci::capture
