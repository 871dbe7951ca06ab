// The profile sources of the devices that are open.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "framework/device/device.h"
#include "framework/profiler/assembly.h"
#include "framework/profiler/device_log.h"
#include "framework/reporting/event_times.h"

namespace loci::reporting {

// Starts the source of each device that is open or gets opened, until it ends; a device whose
// plugin has none is timed by events, if it measures any. Thread-safe.
class Sources {
 public:
  // With `calls`, calls of the devices' interfaces are recorded too.
  explicit Sources(bool calls);
  ~Sources();
  Sources(const Sources&) = delete;
  Sources& operator=(const Sources&) = delete;

  // Ends recording for good.
  void stop();
  // Waits for the devices, and takes over what they did; the first drops it.
  void discard();
  void add_to(profiler::Assembly& assembly);
  // Adds notes that the sources made since, as when they stopped; nothing is recorded any more.
  void add_notes_to(profiler::Assembly& assembly);
  // Returns a profile's facts about the devices, those without a source too. With `measure`, peaks
  // that are not known yet, or no longer count, are measured; `notes` gets what is doubtful about
  // them. Not while something is recorded.
  [[nodiscard]] std::vector<profiler::DeviceFacts> facts(bool measure,
                                                         std::vector<std::string>& notes) const;

 private:
  struct Source {
    plugin::Plugin* plugin = nullptr;
    const loci_profile_source_api* api = nullptr;
    bool is_started = false;
    std::shared_ptr<profiler::DeviceLog> log;
  };

  void add(device::Device& device);
  void start(Source& source);
  void time_by_events(device::Device& device, Source& source);
  void flush();

  bool calls_;
  mutable std::mutex mutex_;
  std::vector<device::Device*> devices_;
  std::vector<Source> sources_;  // one for each plugin
  std::shared_ptr<EventTimes> events_ = std::make_shared<EventTimes>();
};

}  // namespace loci::reporting
