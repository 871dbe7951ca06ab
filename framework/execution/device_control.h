// Loops and branches that a device goes through by itself, as parts of its graphs.
#pragma once

#include <memory>
#include <string>

#include "framework/device_graph/capturer.h"
#include "framework/execution/plan.h"

namespace loci::execution {

class Frame;

// With frames of its blocks for as long as it lives. The plan that it is in outlives it.
class DeviceControl {
 public:
  DeviceControl() = default;
  virtual ~DeviceControl() = default;
  DeviceControl(const DeviceControl&) = delete;
  DeviceControl& operator=(const DeviceControl&) = delete;

  // Issues it into `stream`, which records, on the memory of `frame`. Throws Error, with
  // kUnsupported where the capturer cannot record such a thing.
  virtual void issue_captured(const Frame& frame, device_graph::Capturer& capturer,
                              loci_stream* stream) = 0;
};

// Makes the device's part of an instruction that is a loop or a branch.
[[nodiscard]] std::unique_ptr<DeviceControl> make_device_control(const Instruction& instruction);

// Why the host has to decide about the instruction, which is a loop or a branch; empty if a graph
// of the device can: its blocks launch kernels of that device alone, which leave what decides
// there, and use nothing that runs bind but state that the operator is given.
[[nodiscard]] std::string device_control_refusal(const Plan& plan, std::size_t index);

}  // namespace loci::execution
