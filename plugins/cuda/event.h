// An event of a device.
#pragma once

#include <cstdint>

#include "driver.h"

namespace loci::cuda {

class Device;
class Stream;

// One that was never recorded is done.
class Event {
 public:
  Event(Device& device, std::uint32_t flags);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  [[nodiscard]] CUevent handle() const { return handle_; }
  void record(Stream* stream);
  [[nodiscard]] bool query();
  void synchronize();
  // From this event to `end`, on the device's clock; both are timed, recorded and done.
  [[nodiscard]] std::uint64_t ns_until(Event& end);

 private:
  Device& device_;
  CUevent handle_ = nullptr;
};

}  // namespace loci::cuda
