// Devices by place.
#pragma once

#include <cstdint>
#include <loci/place.hpp>
#include <memory>
#include <string_view>

#include "framework/device/device.h"

namespace loci::plugin {
class PluginManager;
}

namespace loci::device {

// Opens devices when they are first asked for, and keeps them open. Thread-safe.
class DeviceManager {
 public:
  static DeviceManager& instance();
  explicit DeviceManager(plugin::PluginManager& plugins);
  ~DeviceManager();

  // Throws Error(kUnavailable) naming the place, the devices that there are, and in its details why
  // each candidate plugin does not bring it. A bare type is its device 0.
  Device& get(const Place& place);
  // The same place with an index, "gpu" replaced by the best accelerator ("cuda" before others, then
  // by score); a bare type takes the index of `preferred` where that has the same type.
  Place resolve(const Place& place, const Place& preferred);
  // Number of devices of a type; 0 if no plugin brings it.
  std::uint32_t count(std::string_view type);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace loci::device
