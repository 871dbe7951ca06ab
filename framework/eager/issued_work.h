// What a lane has handed to its device, and whether that has gone well.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "framework/device/device.h"
#include "framework/eager/call_plan.h"
#include "framework/memory/spin_lock.h"
#include "framework/tensor/uses.h"

namespace loci::eager {

// A device says when it is waited for that its work has failed, and seldom which. So all that it
// has not been asked about then counts as failed, on every lane of the device, and the error says
// what that was. By ticket of the lane. Thread-safe.
class IssuedWork {
 public:
  static constexpr std::size_t kRemembered = 1024;

  explicit IssuedWork(device::Device& device);
  ~IssuedWork();
  IssuedWork(const IssuedWork&) = delete;
  IssuedWork& operator=(const IssuedWork&) = delete;

  // The device has it now. `plan` is null for a copy. Tickets grow.
  void note(std::uint64_t ticket, std::shared_ptr<const CallPlan> plan, const void* site);
  // Whether the device was asked after the work had ended, and said nothing.
  [[nodiscard]] bool went_well(std::uint64_t ticket) const {
    return checked_.load(std::memory_order_acquire) >= ticket && failure_at(ticket) == nullptr;
  }
  // Asks the device, once the work up to that ticket has ended. Throws what it says, as blame().
  void check(std::uint64_t ticket);
  // Of any device.
  [[nodiscard]] static bool any_has_failed() noexcept {
    return any_failed_.load(std::memory_order_relaxed);
  }
  // For what the device answers otherwise: the error with the work that it may be about.
  std::shared_ptr<tensor::Failure> blame(const Error& error);
  // Null where the work has not failed, as far as is known.
  [[nodiscard]] std::shared_ptr<tensor::Failure> failure_at(std::uint64_t ticket) const;

 private:
  struct Entry {
    std::uint64_t ticket = 0;
    std::shared_ptr<const CallPlan> plan;
    const void* site = nullptr;
  };
  struct Failed {
    std::uint64_t first;
    std::uint64_t last;
    std::shared_ptr<tensor::Failure> failure;
  };
  std::shared_ptr<tensor::Failure> blame_unlocked(const Error& error);
  [[nodiscard]] std::string describe(std::uint64_t ticket) const;
  [[nodiscard]] std::string describe_unchecked() const;
  void fail_unchecked(const std::shared_ptr<tensor::Failure>& failure);

  static inline std::atomic<bool> any_failed_{false};

  device::Device& device_;
  mutable memory::SpinLock lock_;
  std::vector<Entry> entries_;  // by ticket modulo their count; none before the first one
  std::uint64_t noted_ = 0;     // the latest ticket
  std::atomic<std::uint64_t> checked_{0};
  std::atomic<std::uint64_t> last_failed_{0};
  std::vector<Failed> failed_;
};

}  // namespace loci::eager
