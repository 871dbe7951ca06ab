// A point in a stream that can be recorded again and again.
#pragma once

#include <loci/abi/device.h>

#include <cstdint>
#include <memory>
#include <mutex>

#include "plugins/sim/mark.h"

namespace loci::sim {

class SimDevice;
class Stream;

// Each record is a mark of its own, and who waits, waits for the mark that was latest then. An
// event without a record is done. Any thread may call. The device outlives it.
class Event {
 public:
  // `flags` are LOCI_EVENT_*.
  explicit Event(SimDevice& device, std::uint32_t flags = 0)
      : device_(device), is_timed_((flags & LOCI_EVENT_TIMED) != 0) {}

  // Throws Error(LOCI_CODE_DEVICE_LOST) once the device is lost.
  void record(Stream* stream);
  bool query();
  void synchronize();
  // Nanoseconds from this event to `end`. Throws Error(LOCI_CODE_INVALID_ARGUMENT) unless both were
  // timed and recorded, and LOCI_CODE_UNAVAILABLE unless both have happened.
  std::uint64_t ns_until(Event& end);

  [[nodiscard]] std::shared_ptr<Mark> latest();
  [[nodiscard]] SimDevice& device() const { return device_; }

 private:
  void host_saw(const Mark& mark) const;

  SimDevice& device_;
  const bool is_timed_;
  std::mutex mutex_;
  std::shared_ptr<Mark> latest_;
};

}  // namespace loci::sim
