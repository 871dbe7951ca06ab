// An event of a device.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "driver.h"

namespace loci::cuda {

class Device;
class RecentLaunches;
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
  // It was recorded behind the first `enqueued` launches of the stream.
  void comes_behind(const Stream& stream, std::uint64_t enqueued);
  [[nodiscard]] bool query();
  void synchronize();
  // From this event to `end`, on the device's clock; both are timed, recorded and done.
  [[nodiscard]] std::uint64_t ns_until(Event& end);

 private:
  struct Position {
    std::shared_ptr<RecentLaunches> recent;
    std::uint64_t enqueued = 0;
  };
  [[nodiscard]] Position position();

  Device& device_;
  CUevent handle_ = nullptr;
  std::mutex mutex_;   // one thread may ask while another records
  Position position_;  // in the stream that it was recorded in
};

}  // namespace loci::cuda
