// How many devices a backend has.
#pragma once

#include <cstdint>

#include "framework/device/backend.h"

namespace loci::device {

// Asks the backend. Throws plugin::LoadError for an error, an exception, and more than
// LOCI_MAX_DEVICES.
std::uint32_t count_devices(const DeviceBackend& backend);

}  // namespace loci::device
