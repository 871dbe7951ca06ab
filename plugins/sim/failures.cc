#include "plugins/sim/failures.h"

#include <fmt/format.h>

#include <exception>
#include <new>
#include <utility>

namespace loci::sim {
namespace {

// Returns true if the countdown has come to its end with this call.
bool comes_due(std::atomic<std::int64_t>& countdown) {
  std::int64_t left = countdown.load(std::memory_order_relaxed);
  while (left > 0 && !countdown.compare_exchange_weak(left, left - 1)) {
  }
  return left == 1;
}

}  // namespace

Failures::Failures(const Settings& settings, std::string place) : place_(std::move(place)) {
  faults_.alloc = settings.fail_alloc;
  faults_.copy = settings.fail_copy;
  faults_.launch = settings.fail_launch;
  faults_.event = settings.fail_event;
  faults_.task = settings.fail_task;
  faults_.lose = settings.lose_device;
}

void Failures::enter_call(std::atomic<std::int64_t>& fault, loci_code code, const char* call) {
  require_present();
  if (!comes_due(fault)) return;
  throw sdk::Error(
      code, fmt::format("[sim] {}: {} fails, as the settings of the device ask for", place_, call));
}

void Failures::require_present() const {
  if (!lost_) return;
  const std::lock_guard lock(mutex_);
  throw sdk::Error(LOCI_CODE_DEVICE_LOST,
                   fmt::format("[sim] {} is lost: {} took it along, as the settings of the device "
                               "ask for",
                               place_, lost_by_));
}

bool Failures::enter_task(const std::string& task) {
  if (lost_) return false;
  if (comes_due(faults_.lose)) {
    {
      const std::lock_guard lock(mutex_);
      lost_by_ = task;
    }
    lost_ = true;
    throw sdk::Error(LOCI_CODE_DEVICE_LOST,
                     "it takes the device along, as the settings of the device ask for");
  }
  if (!comes_due(faults_.task)) return true;
  throw sdk::Error(LOCI_CODE_FAILED, "it fails, as the settings of the device ask for");
}

void Failures::keep_current(const std::string& task, std::uint64_t correlation) noexcept {
  try {
    try {
      throw;
    } catch (const sdk::Error& error) {
      keep(error.code(), fmt::format("[sim] {}: {}: {}", place_, task, error.what()), correlation);
    } catch (const std::bad_alloc&) {
      keep(LOCI_CODE_OUT_OF_MEMORY,
           fmt::format("[sim] {}: {}: no host memory is left", place_, task), correlation);
    } catch (const std::exception& error) {
      keep(LOCI_CODE_INTERNAL, fmt::format("[sim] {}: {}: {}", place_, task, error.what()),
           correlation);
    }
  } catch (...) {
    keep(LOCI_CODE_INTERNAL, "[sim] a task failed, and so did telling of it", correlation);
  }
}

void Failures::keep(loci_code code, const std::string& message, std::uint64_t correlation) {
  const std::lock_guard lock(mutex_);
  if (kept_.size() < kMostKept) {
    kept_.push_back({sdk::Error(code, message), correlation});
  } else {
    kept_.back().correlation = 0;
  }
}

void Failures::rethrow(std::uint64_t& correlation) {
  correlation = 0;
  if (const std::optional<Kept> first = take()) {
    correlation = first->correlation;
    throw first->error;
  }
  require_present();
}

std::optional<Failures::Kept> Failures::take() {
  const std::lock_guard lock(mutex_);
  if (kept_.empty()) return std::nullopt;
  Kept first = std::move(kept_.front());
  kept_.pop_front();
  return first;
}

}  // namespace loci::sim
