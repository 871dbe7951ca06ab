// Branches about which a device decides by itself.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/execution/branch.h"
#include "framework/execution/device_block.h"

namespace loci::execution {

// Returns true if graphs of the device may have branches at all.
[[nodiscard]] bool has_device_branches(device::Device& device);
// See device_control_refusal().
[[nodiscard]] std::string device_branch_refusal(const BranchStep& step, device::Device& device);

// A branch without such a refusal.
class DeviceBranch final : public DeviceControl {
 public:
  explicit DeviceBranch(const BranchStep& step);

  void issue_captured(const Frame& frame, device_graph::Capturer& capturer,
                      loci_stream* stream) override;

 private:
  // Issues the decision that is left once predicates [0, index) are false.
  void issue_from(std::size_t index, const Frame& frame, device_graph::Capturer& capturer,
                  loci_stream* stream);

  const BranchStep& step_;
  std::vector<std::unique_ptr<DeviceBlock>> blocks_;
};

}  // namespace loci::execution
