// The work that a queue has handed to its device, and its failures.
#pragma once

#include <atomic>
#include <boost/circular_buffer.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "framework/device/device.h"
#include "framework/eager/batch.h"
#include "framework/eager/call_plan.h"
#include "framework/memory/spin_lock.h"
#include "framework/tensor/uses.h"

namespace loci::eager {

// Each work is known by the ticket that the queue gave it. Thread-safe.
class IssuedWork final : public device::UnprovenWork {
 public:
  static constexpr std::size_t kRemembered = 1024;
  static constexpr std::size_t kMostFailures = 64;

  explicit IssuedWork(device::Device& device);
  ~IssuedWork() override;
  IssuedWork(const IssuedWork&) = delete;
  IssuedWork& operator=(const IssuedWork&) = delete;

  // A launch, with a plan, a batch, or without either a copy or a function of the user's.
  struct Work {
    std::shared_ptr<const CallPlan> plan;
    std::shared_ptr<const BatchParts> batch;
    const void* site = nullptr;
    std::uint64_t correlation = 0;   // the first of those it has; 0 for a copy
    std::uint64_t correlations = 1;  // how many it has
  };
  // The device is about to have it. Tickets grow.
  void note(std::uint64_t ticket, Work work);
  // No more comes, and of what was noted nothing has to be told: lets go of it.
  void forget_work() noexcept;
  // True if the device was asked after the work had ended, and said nothing.
  [[nodiscard]] bool went_well(std::uint64_t ticket) const {
    return checked_.load(std::memory_order_acquire) >= ticket && failure_at(ticket) == nullptr;
  }
  // Asks the device, once the work up to that ticket has ended. Throws what it says.
  void check(std::uint64_t ticket) { device_.check_async_error(this, ticket); }
  // True once work of any device has failed.
  [[nodiscard]] static bool any_has_failed() noexcept {
    return any_failed_.load(std::memory_order_relaxed);
  }
  // For what the device answers otherwise: the error with the work that it may be about.
  std::shared_ptr<tensor::Failure> fail_work(const Error& error) {
    return device_.fail_work(error, this);
  }
  // Null where the work has not failed, as far as is known.
  [[nodiscard]] std::shared_ptr<tensor::Failure> failure_at(std::uint64_t ticket) const;

  // The failure of some of it since the last call, to whomever the device said so; else null.
  [[nodiscard]] std::shared_ptr<tensor::Failure> take_failure();

  [[nodiscard]] bool has(std::uint64_t correlation) const override;
  // Work of two queues may wait for each other on the device alone.
  [[nodiscard]] bool may_use(const UnprovenWork& other) const override {
    return dynamic_cast<const IssuedWork*>(&other) != nullptr;
  }
  [[nodiscard]] std::string describe(std::uint64_t correlation) const override;
  void confirm(std::uint64_t up_to) noexcept override;
  void fail(const std::shared_ptr<tensor::Failure>& failure,
            std::uint64_t correlation) noexcept override;

 private:
  struct Entry {
    std::uint64_t ticket = 0;
    Work work;
  };
  struct Failed {
    std::uint64_t first;
    std::uint64_t last;
    std::shared_ptr<tensor::Failure> failure;
  };
  [[nodiscard]] std::uint64_t ticket_of(std::uint64_t correlation) const;
  [[nodiscard]] std::string describe_at(std::uint64_t ticket, std::uint64_t correlation = 0) const;

  static inline std::atomic<bool> any_failed_{false};

  device::Device& device_;
  mutable memory::SpinLock lock_;
  std::vector<Entry> entries_;  // by ticket modulo their count; none before the first one
  std::uint64_t noted_ = 0;     // the latest ticket
  std::atomic<std::uint64_t> checked_{0};
  std::atomic<std::uint64_t> last_failed_{0};
  boost::circular_buffer<Failed> failed_{kMostFailures};  // the latest
  std::shared_ptr<tensor::Failure> untold_;
};

}  // namespace loci::eager
