// How a profile shows that the host waits for a device.
#pragma once

#include "framework/device/device.h"
#include "framework/profiler/recording.h"

namespace loci::transfer {

// "synchronize" with the device's place; 0, which records nothing, unless operators are recorded.
profiler::LabelId wait_label(const device::Device& device);

}  // namespace loci::transfer
