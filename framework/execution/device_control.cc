#include "framework/execution/device_control.h"

#include "framework/execution/device_branch.h"
#include "framework/execution/device_loop.h"

namespace loci::execution {

std::unique_ptr<DeviceControl> make_device_control(const Instruction& instruction) {
  if (const BranchStep* branch = instruction.branch()) {
    return std::make_unique<DeviceBranch>(*branch);
  }
  return std::make_unique<DeviceLoop>(*instruction.loop());
}

std::string device_control_refusal(const Plan& plan, std::size_t index) {
  if (const BranchStep* branch = plan.instructions[index].branch()) {
    return device_branch_refusal(*branch, *plan.instructions[index].device);
  }
  return device_loop_refusal(plan, index);
}

}  // namespace loci::execution
