// The failures of a device: on purpose, and while enqueued work runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <loci/plugin/error.hpp>
#include <mutex>
#include <optional>
#include <string>

#include "plugins/sim/handles.h"
#include "plugins/sim/settings.h"

namespace loci::sim {

// Any thread may call.
class Failures {
 public:
  // `place` is for messages: "sim:0".
  Failures(const Settings& settings, std::string place);

  [[nodiscard]] Faults& faults() { return faults_; }

  // At the head of a call: throws Error(LOCI_CODE_DEVICE_LOST) if the device is lost, and
  // Error(`code`) if `fault` comes due, naming `call`.
  void enter_call(std::atomic<std::int64_t>& fault, loci_code code, const char* call);
  void require_present() const;

  // Before a task of that name runs: throws if a fault of tasks comes due, of which one takes the
  // device along. False once the device is lost: then the task is to be left out.
  [[nodiscard]] bool enter_task(const std::string& task);

  // In a catch block: keeps the error of a task, with the task's name.
  void keep_current(const std::string& task, std::uint64_t correlation) noexcept;
  // Throws each kept error once, in their order, and says whose it is (0: of several); then that
  // the device is lost, every time.
  void rethrow(std::uint64_t& correlation);

 private:
  // Beyond these one stands for all that follow.
  static constexpr std::size_t kMostKept = 256;
  struct Kept {
    sdk::Error error;
    std::uint64_t correlation;
  };
  std::optional<Kept> take();
  void keep(loci_code code, const std::string& message, std::uint64_t correlation);

  const std::string place_;
  Faults faults_;
  std::atomic<bool> lost_{false};
  mutable std::mutex mutex_;
  std::string lost_by_;  // the task
  std::deque<Kept> kept_;
};

}  // namespace loci::sim
