#include "framework/execution/device_block.h"

#include <fmt/format.h>

#include <algorithm>

#include "framework/core/abi/error.h"
#include "framework/execution/capture_problems.h"
#include "framework/execution/continuation.h"
#include "framework/execution/operator_log.h"

namespace loci::execution {
namespace {

std::string inner_refusal(const Plan& plan, std::size_t index, const device::Device& device) {
  const auto found =
      core::in_context<device_graph::Capturers>().of(*plan.instructions[index].device);
  const bool nests = found.capturer != nullptr && found.capturer->has_branches();
  const std::string refusal =
      nests ? device_control_refusal(plan, index)
            : std::string(device.place().type()) + " has no graphs with loops in one another";
  if (refusal.empty()) return {};
  return fmt::format("{} in it is not the device's: {}", instruction_name(plan, index), refusal);
}

std::string instruction_refusal(const Plan& plan, std::size_t index, const device::Device& device) {
  const Instruction& instruction = plan.instructions[index];
  if (const TransferStep* copy = instruction.transfer()) {
    return fmt::format("'{}' is copied between places in it", copy->labels.variable);
  }
  if (instruction.device != &device) {
    return fmt::format("{} in it runs at {}", describe_instruction(plan, index),
                       instruction.device->place().to_string());
  }
  if (instruction.control() != nullptr) return inner_refusal(plan, index, device);
  return record_refusal(plan, index);
}

// Its block knows state by the name that it has in the scope.
bool is_argument(const program::Block& block, const std::string& name) {
  return std::any_of(block.arguments.begin(), block.arguments.end(), [&](program::VarId id) {
    return block.var(id).persistable && block.var(id).name == name;
  });
}

std::string state_refusal(const Plan& plan) {
  for (const PlanPersistable& state : plan.persistables) {
    if (is_argument(plan.program->main(), state.name)) continue;
    return fmt::format("it uses the variable '{}' of the scope", state.name);
  }
  if (!plan.packed.empty()) {
    return fmt::format("it uses '{}' in another layout", plan.packed[0].packing.variable);
  }
  if (plan.replicas.empty()) return {};
  return fmt::format("it uses '{}' away from its home", plan.replicas[0].labels.variable);
}

}  // namespace

std::string block_refusal(const Plan& plan, const device::Device& device) {
  if (plan.rest != nullptr) return "the host reads values in it";
  std::string refusal = state_refusal(plan);
  for (std::size_t i = 0; i < plan.instructions.size() && refusal.empty(); ++i) {
    refusal = instruction_refusal(plan, i, device);
  }
  if (!refusal.empty()) return refusal;
  for (const PlanFetch& fetch : plan.fetches) {
    const PlanValue& value = value_of(plan, fetch.value);
    if (value.space != &device) return fmt::format("'{}' is computed on the host", value.name);
  }
  return {};
}

void record_copy(const void* from, void* to, std::uint64_t bytes, device_graph::Capturer& capturer,
                 loci_stream* stream) {
  if (bytes == 0 || from == to) return;
  loci_copy call{};
  call.struct_size = sizeof call;
  call.source_end = LOCI_END_DEVICE;
  call.target_end = LOCI_END_DEVICE;
  call.source = from;
  call.target = to;
  call.row_bytes = bytes;
  call.rows = 1;
  std::uint32_t blocked = 0;
  device::Device& device = capturer.device();
  device.check(device.api().copy(device.handle(), &call, stream, &blocked), "recording a block");
}

DeviceBlock::DeviceBlock(const Plan& plan, const ControlStep& step) : run_(plan) {
  run_.require_scope(*step.scope, "a loop or a branch was captured");
}

void DeviceBlock::bind(const std::vector<void*>& arguments, const std::vector<void*>& results) {
  const std::vector<ValueId>& used = plan().arguments;
  for (std::size_t i = 0; i < used.size(); ++i) {
    used[i] >= 0 ? run_.bind(used[i], arguments[i]) : bind_state(i, arguments[i]);
  }
  results_ = results;
  if (results_.empty()) return;
  for (const PlanFetch& fetch : plan().fetches) run_.bind_fetch(fetch, results_[fetch.position]);
}

// The run around it has looked the variable up, and sees where it is another tensor.
void DeviceBlock::bind_state(std::size_t argument, void* data) {
  const program::Block& block = plan().program->main();
  const std::string& name = block.var(block.arguments[argument]).name;
  for (const PlanPersistable& state : plan().persistables) {
    if (state.name == name) run_.bind(state.value, data);
  }
}

void DeviceBlock::launch(std::size_t index, loci_stream* stream) {
  Frame::Launch launch = run_.frame().launch_of(index);
  launch.call.stream = stream;
  launch.call.correlation = 0;
  launch.call.flags |= LOCI_LAUNCH_CAPTURING;
  loci_error* error = launch.function(launch.prepared, &launch.call);
  if (error == nullptr) return;
  const Error taken = core::take_error(error);
  plan().instructions[index].device->note_loss(taken);
  throw taken.within(describe_instruction(plan(), index));
}

void DeviceBlock::issue(device_graph::Capturer& capturer, loci_stream* stream) {
  for (std::size_t i = 0; i < plan().instructions.size(); ++i) {
    const Instruction& instruction = plan().instructions[i];
    if (instruction.control() == nullptr) {
      launch(i, stream);
      continue;
    }
    std::unique_ptr<DeviceControl>& inner = inner_[i];
    if (inner == nullptr) inner = make_device_control(instruction);
    inner->issue_captured(run_.frame(), capturer, stream);
  }
  if (results_.empty()) return;
  for (const PlanFetch& fetch : plan().fetches) {
    if (computes_in_place(plan(), fetch)) continue;
    record_copy(data(fetch.value), results_[fetch.position], value_of(plan(), fetch.value).bytes,
                capturer, stream);
  }
}

}  // namespace loci::execution
