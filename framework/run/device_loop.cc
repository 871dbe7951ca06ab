#include "framework/run/device_loop.h"

#include <fmt/format.h>

#include "framework/core/abi/error.h"
#include "framework/device_graph/loop_recording.h"
#include "framework/run/capture_problems.h"
#include "framework/run/continuation.h"
#include "framework/run/operator_log.h"

namespace loci::runtime {
namespace {

std::string instruction_refusal(const Plan& plan, std::size_t index, const device::Device& device) {
  const Instruction& instruction = plan.instructions[index];
  if (const TransferStep* copy = instruction.transfer()) {
    return fmt::format("'{}' is copied between places in it", copy->labels.variable);
  }
  if (instruction.loop() != nullptr) return "it has another loop in it";
  if (instruction.device != &device) {
    return fmt::format("{} in it runs at {}", describe_instruction(plan, index),
                       instruction.device->place().to_string());
  }
  return record_refusal(plan, index);
}

std::string block_refusal(const Plan& plan, const device::Device& device) {
  if (plan.rest != nullptr) return "the host reads values in it";
  if (!plan.persistables.empty()) {
    return fmt::format("it uses the variable '{}' of the scope", plan.persistables[0].name);
  }
  for (std::size_t i = 0; i < plan.instructions.size(); ++i) {
    std::string refusal = instruction_refusal(plan, i, device);
    if (!refusal.empty()) return refusal;
  }
  for (const PlanFetch& fetch : plan.fetches) {
    const PlanValue& value = value_of(plan, fetch.value);
    if (value.space != &device) return fmt::format("'{}' is computed on the host", value.name);
  }
  return {};
}

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
    : step_(step), condition_(*step.condition), body_(*step.body) {
  condition_.require_scope(*step.scope, "a loop was captured");
  body_.require_scope(*step.scope, "a loop was captured");
}

// Each iteration reads what the one before has left in `outs`, and computes into the twins.
void DeviceLoop::bind(const Frame& frame) {
  before_.clear();
  given_.clear();
  next_.clear();
  std::vector<void*> arguments;
  for (const ValueId id : step_.arguments) {
    arguments.push_back(id < 0 ? nullptr : frame.data(id));
  }
  for (const PlanFetch& fetch : body_.plan().fetches) {
    const PlanValue& value = value_of(body_.plan(), fetch.value);
    const std::size_t i = fetch.position;
    void* const twin = frame.data(step_.twins[i]);
    body_.bind_fetch(fetch, twin);
    if (arguments[i] != nullptr)
      before_.push_back({arguments[i], frame.data(step_.outs[i]), value.bytes});
    next_.push_back({twin, frame.data(step_.outs[i]), value.bytes});
    arguments[i] = frame.data(step_.outs[i]);
  }
  for (PlanRun* block : {&condition_, &body_}) {
    const std::vector<ValueId>& used = block->plan().arguments;
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (used[i] >= 0) block->bind(used[i], arguments[i]);
    }
  }
  for (const PlanFetch& fetch : body_.plan().fetches) {
    if (computes_in_place(body_.plan(), fetch)) continue;
    given_.push_back({body_.frame().data(fetch.value), frame.data(step_.twins[fetch.position]),
                      value_of(body_.plan(), fetch.value).bytes});
  }
}

void DeviceLoop::issue(PlanRun& block, loci_stream* stream) const {
  for (std::size_t i = 0; i < block.plan().instructions.size(); ++i) {
    Frame::Launch launch = block.frame().launch_of(i);
    launch.call.stream = stream;
    launch.call.correlation = 0;
    launch.call.flags |= LOCI_LAUNCH_CAPTURING;
    loci_error* error = launch.function(launch.prepared, &launch.call);
    if (error == nullptr) continue;
    const Error taken = core::take_error(error);
    block.plan().instructions[i].device->note_loss(taken);
    throw taken.within(describe_instruction(block.plan(), i));
  }
}

void DeviceLoop::issue(const Copy& copy, device_graph::Capturer& capturer, loci_stream* stream) {
  if (copy.bytes == 0 || copy.from == copy.to) return;
  loci_copy call{};
  call.struct_size = sizeof call;
  call.source_end = LOCI_END_DEVICE;
  call.target_end = LOCI_END_DEVICE;
  call.source = copy.from;
  call.target = copy.to;
  call.row_bytes = copy.bytes;
  call.rows = 1;
  std::uint32_t blocked = 0;
  device::Device& device = capturer.device();
  device.check(device.api().copy(device.handle(), &call, stream, &blocked), "recording a loop");
}

void DeviceLoop::issue_captured(const Frame& frame, device_graph::Capturer& capturer) {
  bind(frame);
  loci_stream* const stream = capturer.stream();
  for (const Copy& copy : before_) issue(copy, capturer, stream);
  issue(condition_, stream);
  const PlanFetch& flag = condition_.plan().fetches[0];
  const device_graph::LoopRecording loop(capturer, condition_.frame().data(flag.value));
  issue(body_, loop.stream());
  for (const Copy& copy : given_) issue(copy, capturer, loop.stream());
  for (const Copy& copy : next_) issue(copy, capturer, loop.stream());
  issue(condition_, loop.stream());
  loop.end();
}

}  // namespace loci::runtime
