// A block of a loop or a branch as part of a graph.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "framework/device_graph/capturer.h"
#include "framework/execution/control_step.h"
#include "framework/execution/device_control.h"
#include "framework/execution/plan_run.h"

namespace loci::execution {

// Why no graph of the device can have the block; empty if one can.
[[nodiscard]] std::string block_refusal(const Plan& block, const device::Device& device);

// Into a stream of the capturer's device that records. Throws Error.
void record_copy(const void* from, void* to, std::uint64_t bytes, device_graph::Capturer& capturer,
                 loci_stream* stream);

// Without such a refusal; with a frame of its own. The step outlives it, as its plans do.
class DeviceBlock {
 public:
  DeviceBlock(const Plan& plan, const ControlStep& step);

  [[nodiscard]] const Plan& plan() const { return run_.plan(); }
  // Where it leaves what it computes for itself.
  [[nodiscard]] void* data(ValueId value) { return run_.frame().data(value); }

  // Arguments and results are in the block's order: null for an argument that it does not use. With
  // no results it leaves what it gives in its frame.
  void bind(const std::vector<void*>& arguments, const std::vector<void*>& results);
  // Its launches, and copies of results that are computed elsewhere. Throws Error with the
  // operator.
  void issue(device_graph::Capturer& capturer, loci_stream* stream);

 private:
  void bind_state(std::size_t argument, void* data);
  void launch(std::size_t index, loci_stream* stream);

  PlanRun run_;
  std::vector<void*> results_;
  std::unordered_map<std::size_t, std::unique_ptr<DeviceControl>> inner_;  // by instruction
};

}  // namespace loci::execution
