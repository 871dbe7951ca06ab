// The faults that a device of the sim plugin can be given.
#pragma once

#include <loci/place.hpp>

#include "framework/core/abi/error.h"
#include "framework/device/device_manager.h"
#include "plugins/sim/handles.h"

namespace loci::test {

// The faults live as long as the device is open.
inline sim::Faults& sim_faults(const Place& place) {
  device::Device& device = device::DeviceManager::instance().get(place);
  void* found = nullptr;
  device.check(
      device.api().native_handle(device.handle(), nullptr, core::to_abi("sim.faults"), &found),
      "asking for a handle");
  return *static_cast<sim::Faults*>(found);
}

}  // namespace loci::test
