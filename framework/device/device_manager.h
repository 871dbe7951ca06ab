// Devices by place.
#pragma once

#include <cstdint>
#include <functional>
#include <loci/place.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/context.h"
#include "framework/device/device.h"

namespace loci::plugin {
class PluginManager;
}

namespace loci::device {

// Where backends come from; PluginManager's functions of these names say what each does.
class BackendSource {
 public:
  virtual ~BackendSource() = default;
  virtual std::vector<std::string> device_types() = 0;
  virtual std::vector<const device::DeviceBackend*> backends(std::string_view device_type) = 0;
  virtual std::string explain_missing(std::string_view device_type) = 0;
};

// Opens devices when they are first asked for, and keeps them open as long as it lives.
// Thread-safe.
class DeviceManager {
 public:
  static constexpr auto kContextSlot = core::ContextSlot::kDevices;
  // That of the current context, over its plugins.
  static DeviceManager& instance() { return core::in_context<DeviceManager>(); }
  DeviceManager();
  explicit DeviceManager(plugin::PluginManager& plugins);
  explicit DeviceManager(std::unique_ptr<BackendSource> source);
  ~DeviceManager();

  // Throws Error(kUnavailable) naming the place, the devices that there are, and in its details why
  // each candidate plugin does not bring it. A bare type is its device 0. Throws Error(kDeviceLost)
  // for one that is lost.
  Device& get(const Place& place);
  // Says what that device was lost by; empty if it is not lost, or is not open.
  std::string loss(const Place& place);
  // Opens a lost device anew: get() gives another Device then. The old one stays, lost, for those
  // who refer to it; its memory goes back as far as nobody has it, and a later reopening closes it
  // once nothing of the plugin refers to it. Does nothing if it is not lost. Throws the Error that
  // the plugin's open gives; it is as lost as before then.
  void reopen(const Place& place);
  // How many have been, of all contexts: where it is the same, no Device has been replaced.
  static std::uint64_t reopenings() noexcept;
  // Tells `replaced` of each Device whose place another has taken, as long as the manager lives: to
  // give back what is kept for its use. It may not call the manager.
  void watch_reopening(std::function<void(Device&)> replaced);
  // A further source, asked before the earlier ones: backends of the process itself, without a
  // file.
  void add_source(std::unique_ptr<BackendSource> source);
  // Tells `opened` of each device that is open now, and of each that will be, before anybody uses
  // it; one watcher at a time, an empty function ends it. It may not call the manager.
  void watch_opening(std::function<void(Device&)> opened);
  // Those that get() has opened, and that are not lost.
  std::vector<Device*> open_devices();
  // Returns that place with an index, "gpu" replaced by the best accelerator ("cuda" before others,
  // then by score; the log says once that it is another, and why); a bare type takes the index of
  // `preferred` where that has the same type. Throws Error(kUnavailable) for "gpu" without an
  // accelerator; whether another device is there is not looked at.
  Place resolve(const Place& place, const Place& preferred);
  // Number of devices of a type, of any accelerator for "gpu" as get() reads it; 0 if no plugin
  // brings it.
  std::uint32_t count(std::string_view type);
  // Every device that get() would open, by type and index.
  std::vector<Place> places();

 private:
  // Around fork(), of all contexts.
  static void watch_forks();
  static void prepare_fork();
  static void resume_parent();
  static void resume_child();

  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace loci::device
