// Which functions of a backend a device of its kind cannot do without.
#pragma once

#include "framework/device/backend.h"

namespace loci::device {

// All throw Error(kIncompatible) with the plugin, the device type and the first that is missing.
void require_opening(const DeviceBackend& backend);  // of any device
void require_memory(const DeviceBackend& backend);   // with memory of its own
void require_streams(const DeviceBackend& backend);  // that is queued, or says that it has streams

}  // namespace loci::device
