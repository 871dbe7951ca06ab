// Calls that fail because a setting asks for it: see "Faults on demand" in loci/abi/device.h.
#pragma once

#include <loci/abi/base.h>

#include <atomic>
#include <cstdint>
#include <loci/plugin/host.hpp>
#include <loci/plugin/plugin_object.hpp>
#include <string>

namespace loci::cuda {

// Which call of each kind fails; 0 for none.
struct FaultSettings {
  std::int64_t alloc = 0;
  std::int64_t copy = 0;
  std::int64_t launch = 0;
  std::int64_t event = 0;
};

// Throws Error(LOCI_CODE_INVALID_ARGUMENT) that names a setting which is no count.
FaultSettings read_fault_settings(const sdk::Host& host, const sdk::Options& options);
// Returns what is set for `name` when the plugin is created, or in the host's configuration; empty
// if nothing is.
std::string setting_of(const sdk::Host& host, const sdk::Options& options, const char* name);

// Counts the calls of one device. Any thread may call.
class PlannedFaults {
 public:
  PlannedFaults(const FaultSettings& settings, std::string place);

  // Throws at the call that was asked for, before it has done anything.
  void enter_alloc() { enter(alloc_, LOCI_CODE_OUT_OF_MEMORY, "mem_alloc"); }
  void enter_copy() { enter(copy_, LOCI_CODE_FAILED, "a copy or fill"); }
  void enter_launch() { enter(launch_, LOCI_CODE_FAILED, "a launch"); }
  void enter_event() { enter(event_, LOCI_CODE_FAILED, "event_record"); }

 private:
  using Countdown = std::atomic<std::int64_t>;
  void enter(Countdown& left, loci_code code, const char* call) {
    if (left.load(std::memory_order_relaxed) > 0) count(left, code, call);
  }
  void count(Countdown& left, loci_code code, const char* call) const;

  const std::string place_;
  Countdown alloc_;
  Countdown copy_;
  Countdown launch_;
  Countdown event_;
};

}  // namespace loci::cuda
