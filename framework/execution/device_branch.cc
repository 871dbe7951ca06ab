#include "framework/execution/device_branch.h"

#include "framework/device_graph/branch_recording.h"
#include "framework/execution/frame.h"

namespace loci::execution {

bool has_device_branches(device::Device& device) {
  const auto found = core::in_context<device_graph::Capturers>().of(device);
  return found.capturer != nullptr && found.capturer->has_branches();
}

std::string device_branch_refusal(const BranchStep& step, device::Device& device) {
  if (!has_device_branches(device)) return "the device's graphs have no branches";
  std::string refusal;
  for (const auto& block : step.blocks) {
    if (refusal.empty()) refusal = block_refusal(*block, device);
  }
  return refusal;
}

DeviceBranch::DeviceBranch(const BranchStep& step) : step_(step) {
  for (const auto& block : step.blocks) {
    blocks_.push_back(std::make_unique<DeviceBlock>(*block, step));
  }
}

// Blocks compute into the same memory, and have their own for all else.
void DeviceBranch::issue_captured(const Frame& frame, device_graph::Capturer& capturer,
                                  loci_stream* stream) {
  std::vector<void*> arguments;
  for (const ValueId id : step_.arguments) {
    arguments.push_back(id < 0 ? nullptr : frame.data(id));
  }
  std::vector<void*> results;
  for (const ValueId id : step_.outs) results.push_back(frame.data(id));
  for (const auto& block : blocks_) block->bind(arguments, results);
  issue_from(0, frame, capturer, stream);
}

void DeviceBranch::issue_from(std::size_t index, const Frame& frame,
                              device_graph::Capturer& capturer, loci_stream* stream) {
  if (index == step_.predicates.size()) return blocks_.back()->issue(capturer, stream);
  device_graph::BranchRecording branch(capturer, stream, frame.data(step_.predicates[index]));
  blocks_[index]->issue(capturer, branch.stream());
  branch.otherwise();
  issue_from(index + 1, frame, capturer, branch.stream());
  branch.end();
}

}  // namespace loci::execution
