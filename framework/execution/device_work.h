// The work that a run of a plan has given to a queued device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "framework/device/device.h"
#include "framework/execution/plan.h"
#include "framework/memory/spin_lock.h"

namespace loci::execution {

// In question from begin() until the device has been asked at the end. Thread-safe; of one run at a
// time.
class DeviceWork final : public device::UnprovenWork {
 public:
  // With the plan, if there is one, it tells which of its instructions has failed.
  explicit DeviceWork(device::Device& device, const Plan* plan = nullptr)
      : device_(device), plan_(plan) {
    device.enter_work(*this);
  }
  ~DeviceWork() override { device_.leave_work(*this); }
  DeviceWork(const DeviceWork&) = delete;
  DeviceWork& operator=(const DeviceWork&) = delete;

  void begin() noexcept;
  // Its launches have these correlations. Those of a block within the run, which nobody begins, are
  // nobody's in particular: what they fail with is all work's that is in question, so the run's
  // too.
  void set_launches(std::uint64_t first, std::uint64_t count) noexcept;
  // Waits for it. Throws what the device says, to whomever it has said it.
  void finish();
  // The failure of the run since begin(); null if it has not failed.
  [[nodiscard]] std::shared_ptr<device::Failure> failure() const;

  [[nodiscard]] bool has(std::uint64_t correlation) const override;
  // A run waits for what others have written before it begins.
  [[nodiscard]] bool may_use(const UnprovenWork& /*other*/) const override { return false; }
  [[nodiscard]] std::string describe(std::uint64_t correlation) const override;
  void confirm(std::uint64_t up_to) noexcept override;
  void fail(const std::shared_ptr<device::Failure>& failure,
            std::uint64_t correlation) noexcept override;

 private:
  device::Device& device_;
  const Plan* plan_;
  mutable memory::SpinLock lock_;
  bool is_in_question_ = false;
  std::uint64_t first_launch_ = 0;
  std::uint64_t launch_count_ = 0;
  std::shared_ptr<device::Failure> failure_;
};

}  // namespace loci::execution
