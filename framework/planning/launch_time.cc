#include "framework/planning/launch_time.h"

#include <algorithm>

namespace loci::planning {
namespace {

using execution::Instruction;
using execution::Plan;
using execution::ValueId;

// In float32 without tensor cores, of products that fill half of the device.
constexpr std::uint64_t kFlopsPerNs = 20'000;
constexpr std::uint64_t kBytesPerNs = 3'000;

std::uint64_t bytes_moved(const Plan& plan, const Instruction& instruction) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < instruction.inputs.size(); ++i) {
    if (instruction.reads(i)) bytes += value_of(plan, instruction.inputs[i]).bytes;
  }
  for (const ValueId output : instruction.outputs) {
    if (output >= 0) bytes += value_of(plan, output).bytes;
  }
  return bytes;
}

}  // namespace

std::uint64_t launch_ns(const Plan& plan, const Instruction& instruction) {
  const std::uint64_t computes = instruction.launch()->kernel->flops() / kFlopsPerNs;
  const std::uint64_t moves = bytes_moved(plan, instruction) / kBytesPerNs;
  return kLeastLaunchNs + std::max(computes, moves);
}

}  // namespace loci::planning
