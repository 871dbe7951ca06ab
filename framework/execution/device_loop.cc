#include "framework/execution/device_loop.h"

#include <fmt/format.h>

#include "framework/device_graph/loop_recording.h"
#include "framework/execution/capture_problems.h"
#include "framework/execution/continuation.h"
#include "framework/execution/frame.h"

namespace loci::execution {
namespace {

bool has_condition_there(const Plan& condition, const device::Device& device) {
  if (condition.rest != nullptr || condition.fetches.size() != 1) return false;
  const PlanValue& flag = value_of(condition, condition.fetches[0].value);
  return flag.space == &device && flag.bytes == 1;
}

}  // namespace

std::string device_loop_refusal(const Plan& plan, std::size_t index) {
  const LoopStep& step = *plan.instructions[index].loop();
  device::Device& device = *plan.instructions[index].device;
  const device_graph::Capturers::Found found =
      core::in_context<device_graph::Capturers>().of(device);
  const bool may = found.capturer != nullptr && found.capturer->has_loops();
  if (step.condition == nullptr || !may || !has_condition_there(*step.condition, device)) {
    return loop_refusal(step);
  }
  if (step.gradient != nullptr) return "its gradient needs the values of each iteration";
  if (step.max_iterations > 0) return "the host counts its iterations, which are limited";
  for (std::size_t i = 0; i < step.value_count; ++i) {
    const PlanResult& result = step.body->results[i];
    const bool is_there =
        result.space == &device && value_of(plan, step.arguments[i]).space == &device;
    if (!is_there) return fmt::format("'{}' stays on the host", result.name);
  }
  std::string refusal = block_refusal(*step.condition, device);
  return refusal.empty() ? block_refusal(*step.body, device) : refusal;
}

DeviceLoop::DeviceLoop(const LoopStep& step)
    : step_(step), condition_(*step.condition, step), body_(*step.body, step) {}

// Each iteration reads what the one before has left in `outs`, and computes into the twins.
void DeviceLoop::bind(const Frame& frame) {
  before_.clear();
  next_.clear();
  std::vector<void*> arguments;
  for (const ValueId id : step_.arguments) {
    arguments.push_back(id < 0 ? nullptr : frame.data(id));
  }
  std::vector<void*> results;
  for (std::size_t i = 0; i < step_.value_count; ++i) {
    const std::uint64_t bytes = frame.bytes(step_.outs[i]);
    results.push_back(frame.data(step_.twins[i]));
    if (arguments[i] != nullptr)
      before_.push_back({arguments[i], frame.data(step_.outs[i]), bytes});
    next_.push_back({results[i], frame.data(step_.outs[i]), bytes});
    arguments[i] = frame.data(step_.outs[i]);
  }
  condition_.bind(arguments, {});
  body_.bind(arguments, results);
}

void DeviceLoop::issue_captured(const Frame& frame, device_graph::Capturer& capturer,
                                loci_stream* stream) {
  bind(frame);
  for (const Copy& copy : before_) record_copy(copy.from, copy.to, copy.bytes, capturer, stream);
  condition_.issue(capturer, stream);
  const PlanFetch& flag = condition_.plan().fetches[0];
  const device_graph::LoopRecording loop(capturer, stream, condition_.data(flag.value));
  body_.issue(capturer, loop.stream());
  for (const Copy& copy : next_)
    record_copy(copy.from, copy.to, copy.bytes, capturer, loop.stream());
  condition_.issue(capturer, loop.stream());
  loop.end();
}

}  // namespace loci::execution
