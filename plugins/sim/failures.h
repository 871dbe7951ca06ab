// What fails on a device: on purpose, and while enqueued work runs.
#pragma once

#include <atomic>
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

  // At the head of a call: throws Error(LOCI_CODE_UNAVAILABLE) if the device is lost, and
  // Error(`code`) if `fault` comes due, naming `call`.
  void enter_call(std::atomic<std::int64_t>& fault, loci_code code, const char* call);
  void require_present() const;

  // Before a task runs: throws if a fault of tasks comes due. False once the device is lost: then
  // the task is to be left out.
  [[nodiscard]] bool enter_task();

  // In a catch block: keeps the error of a task, if it is the first, with the task's name.
  void keep_current(const std::string& task) noexcept;
  // Throws the kept error once; that the device is lost, every time.
  void rethrow();

 private:
  void keep(loci_code code, const std::string& message);

  const std::string place_;
  Faults faults_;
  std::atomic<bool> lost_{false};
  std::mutex mutex_;
  std::optional<sdk::Error> first_;
};

}  // namespace loci::sim
