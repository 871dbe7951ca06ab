// Records the driver's activity as CUPTI does, for the client that asked.
#pragma once

#include <cupti.h>

#include <array>
#include <atomic>
#include <cstdint>

#include "tools/cuda_double/cupti/buffers.h"
#include "tools/cuda_double/driver/activity.h"

namespace loci::cupti_double {

// The one of the process; never destroyed, because threads of the driver may run until it ends.
class Recorder {
 public:
  static Recorder& get();

  // Returns true if records of that kind are made here at all.
  [[nodiscard]] static bool has_kind(CUpti_ActivityKind kind);
  void enable(CUpti_ActivityKind kind, bool enabled);
  // Sets whether the call is recorded while calls are, all of which are chosen when their kind is
  // enabled. False where there is no such function.
  [[nodiscard]] bool enable_call(std::uint32_t number, bool enabled);
  void number_threads_by_system(bool by_system) { by_system_ = by_system; }

  void called(const cuda_double::CallActivity& call);
  void worked(const cuda_double::WorkActivity& work);

  Buffers buffers;

 private:
  Recorder();
  [[nodiscard]] bool is_enabled(CUpti_ActivityKind kind) const { return kinds_[kind]; }
  void add_external_ids(std::uint32_t correlation);

  std::array<std::atomic<bool>, CUPTI_ACTIVITY_KIND_COUNT> kinds_{};
  std::array<std::atomic<bool>, CUPTI_DRIVER_TRACE_CBID_SIZE> calls_{};
  std::atomic<bool> by_system_{false};
};

}  // namespace loci::cupti_double
