// A timer of what passes on a device between two points of its default stream.
#pragma once

#include <loci/place.hpp>
#include <memory>
#include <string_view>

#include "framework/profiler/stat_set.h"

namespace loci::reporting {

class DeviceTimes;
struct DeviceInterval;

// From its construction to its end, on one thread; waits for nothing. The time is added to the stat
// "name@place" once it is known: by a later timer of that device, or by collect_device_times().
class DeviceTimer {
 public:
  // Null for the host and for devices that enqueue nothing or do not measure. Opens the device and
  // throws as that does.
  static std::unique_ptr<DeviceTimer> begin(const Place& place, profiler::StatId host_stat);
  // Errors here are logged, and the time is lost.
  ~DeviceTimer();
  DeviceTimer(const DeviceTimer&) = delete;
  DeviceTimer& operator=(const DeviceTimer&) = delete;

 private:
  DeviceTimer(DeviceTimes& times, profiler::StatId host_stat);

  DeviceTimes& times_;
  std::unique_ptr<DeviceInterval> interval_;
};

// Waits for all device times that are not known yet, and adds them.
void collect_device_times();
// Forgets them.
void drop_device_times();

}  // namespace loci::reporting
