// How many devices a backend has.
#pragma once

#include <cstdint>

#include "framework/plugin/backend.h"

namespace loci::plugin {

// Asks the backend. Throws LoadError for an error, an exception, and more than LOCI_MAX_DEVICES.
std::uint32_t count_devices(const DeviceBackend& backend);

}  // namespace loci::plugin
