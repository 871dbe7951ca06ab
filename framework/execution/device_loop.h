// Loops that a device goes through by itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/execution/device_block.h"
#include "framework/execution/loop.h"

namespace loci::execution {

// See device_control_refusal(); `index` is that of a loop of the plan.
[[nodiscard]] std::string device_loop_refusal(const Plan& plan, std::size_t index);

// A loop without such a refusal.
class DeviceLoop final : public DeviceControl {
 public:
  explicit DeviceLoop(const LoopStep& step);

  void issue_captured(const Frame& frame, device_graph::Capturer& capturer,
                      loci_stream* stream) override;

 private:
  struct Copy {
    const void* from;
    void* to;
    std::uint64_t bytes;
  };

  void bind(const Frame& frame);

  const LoopStep& step_;
  DeviceBlock condition_;
  DeviceBlock body_;
  std::vector<Copy> before_;  // what the loop begins with
  std::vector<Copy> next_;    // results of an iteration, for the next one
};

}  // namespace loci::execution
