#include "framework/execution/plan_memory.h"

#include <loci/abi/kernels.h>

#include <string>
#include <type_traits>
#include <variant>

#include "framework/execution/plan.h"
#include "framework/program/program_impl.h"

namespace loci::execution {
namespace {

constexpr std::uint64_t kNodeBytes = 48;    // of a map or hash table, with the allocator's part
constexpr std::uint64_t kRecordBytes = 96;  // of an instruction in a frame

// Counts the bytes that the string has beside itself.
std::uint64_t heap_of(const std::string& text) {
  return text.capacity() < sizeof(std::string) / 2 ? 0 : text.capacity() + 1;
}

template <class T>
std::uint64_t heap_of(const std::vector<T>& list) {
  return list.capacity() * sizeof(T);
}

std::uint64_t heap_of(const std::vector<std::string>& list) {
  std::uint64_t bytes = list.capacity() * sizeof(std::string);
  for (const std::string& text : list) bytes += heap_of(text);
  return bytes;
}

std::uint64_t heap_of(const std::vector<program::Slot>& slots) {
  std::uint64_t bytes = slots.capacity() * sizeof(program::Slot);
  for (const program::Slot& slot : slots) bytes += heap_of<program::VarId>(slot);
  return bytes;
}

std::uint64_t heap_of(const Attributes& attributes) {
  std::uint64_t bytes = 0;
  for (const auto& [name, value] : attributes) {
    bytes += kNodeBytes + sizeof(std::string) + sizeof(Attribute) + heap_of(name);
    std::visit(
        [&bytes](const auto& held) {
          using T = std::decay_t<decltype(held)>;
          if constexpr (std::is_same_v<T, std::string>) bytes += heap_of(held);
          if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) bytes += heap_of(held);
        },
        value);
  }
  return bytes;
}

// Blocks of control flow are shared with the program that the plan was made of.
std::uint64_t heap_of(const program::Operator& op) {
  return heap_of(op.name) + heap_of(op.inputs) + heap_of(op.outputs) + heap_of(op.attributes) +
         heap_of(op.guard) + heap_of(op.scope) + heap_of(op.origin);
}

std::uint64_t bytes_of(const program::Block& block) {
  std::uint64_t bytes = block.ops.capacity() * sizeof(program::Operator);
  for (const program::Operator& op : block.ops) bytes += heap_of(op);
  for (const program::VarDesc& var : block.vars) {
    // The name stands in the table of names too.
    bytes +=
        sizeof var + 2 * heap_of(var.name) + heap_of(var.guard) + kNodeBytes + sizeof(std::string);
  }
  return bytes;
}

std::uint64_t heap_of(const Instruction& instruction) {
  std::uint64_t bytes = heap_of(instruction.inputs) + heap_of(instruction.outputs);
  if (const LaunchStep* launch = instruction.launch()) {
    // Bits of a word; and the kernel, which the plan keeps alive.
    bytes += sizeof(void*) + heap_of(launch->aliases) + launch->kernel->memory_bytes();
  }
  return bytes;
}

std::uint64_t bytes_of(const Schedule& schedule) {
  std::uint64_t bytes = sizeof schedule + heap_of(schedule.steps) + heap_of(schedule.order);
  for (const ScheduledStep& step : schedule.steps) {
    bytes += heap_of(step.stream_waits) + heap_of(step.host_waits);
  }
  return bytes;
}

std::uint64_t bytes_of(const GraphForks& forks) {
  std::uint64_t bytes = sizeof forks + heap_of(forks.waits) + heap_of(forks.branches);
  for (const std::vector<std::uint32_t>& waits : forks.waits) bytes += heap_of(waits);
  return bytes;
}

std::uint64_t bytes_of(const CoreForks& forks) {
  std::uint64_t bytes =
      sizeof forks + heap_of(forks.regions) + heap_of(forks.order) + heap_of(forks.needs);
  for (const CoreRegion& region : forks.regions) {
    bytes += heap_of(region.tracks);
    for (const std::vector<CoreSegment>& track : region.tracks) bytes += heap_of(track);
  }
  return bytes;
}

}  // namespace

std::uint64_t plan_bytes(const Plan& plan) {
  std::uint64_t bytes = sizeof plan + heap_of(plan.operators) + heap_of(plan.values) +
                        heap_of(plan.instructions) + heap_of(plan.feeds) + heap_of(plan.fetches) +
                        heap_of(plan.fetch_names) + heap_of(plan.fetch_places) +
                        heap_of(plan.written);
  if (plan.program != nullptr && !plan.shares_program) bytes += bytes_of(plan.program->main());
  for (const PlanOperator& op : plan.operators) bytes += heap_of(op.detail) + heap_of(op.kernel);
  for (const Instruction& instruction : plan.instructions) bytes += heap_of(instruction);
  if (plan.schedule != nullptr) bytes += bytes_of(*plan.schedule);
  if (plan.forks != nullptr) bytes += bytes_of(*plan.forks);
  if (plan.core_forks != nullptr) bytes += bytes_of(*plan.core_forks);
  if (plan.launch_times != nullptr) {
    bytes += sizeof(LaunchTimes) + plan.instructions.size() * sizeof(LaunchTimes::Launch);
  }
  return bytes;
}

std::uint64_t frame_bytes(const Plan& plan) {
  std::uint64_t bytes = plan.state_bytes + plan.values.size() * sizeof(loci_view) +
                        plan.instructions.size() * kRecordBytes;
  for (const Instruction& instruction : plan.instructions) {
    bytes += (instruction.inputs.size() + instruction.outputs.size()) * sizeof(void*);
  }
  return bytes;
}

std::uint64_t arena_bytes(const Plan& plan) {
  std::uint64_t bytes = 0;
  for (const Arena& arena : plan.arenas) bytes += arena.bytes;
  return bytes;
}

}  // namespace loci::execution
