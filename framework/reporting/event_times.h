// Times of device work by events, for devices whose plugin has no profile source.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "framework/device/timed_work.h"
#include "framework/profiler/device_log.h"

namespace loci::reporting {

// Records an event before and one behind each launch and copy of the devices that it watches, and
// turns them into records once both have been reached. The time between them is that of the work
// and of what the queue does between its commands. Thread-safe.
class EventTimes final : public device::WorkTimer {
 public:
  EventTimes();
  ~EventTimes() override;

  // Returns true if it is possible. Work under way when a session ends still writes to the log.
  bool watch(device::Device& device, std::shared_ptr<profiler::DeviceLog> log);
  // Hands over what was enqueued until now, and waits for it.
  void flush();

  Interval* begin(device::Device& device, loci_stream* stream,
                  const device::Work& work) noexcept override;
  void end(Interval& interval, loci_stream* stream) noexcept override;

 private:
  class Watched;

  [[nodiscard]] Watched* find(const device::Device& device);

  std::mutex mutex_;
  std::map<const device::Device*, std::unique_ptr<Watched>> watched_;
};

}  // namespace loci::reporting
