// Checks of the level fault about calls and work that fail: because the plugin was asked to by a
// setting, or because the memory is not there.
//
// A plugin may take the settings fail_alloc, fail_copy, fail_launch, fail_event, fail_task and
// lose_device: the n-th mem_alloc, copy or fill, launch, event_record, or piece of enqueued work of
// a device fails, or at that piece the device is lost for good. One that takes a setting refuses a
// value for it that is no number, by which these checks know; then what was asked for has to fail.
#pragma once

#include <vector>

#include "tools/conformance/verify/open_device.h"

namespace loci::verify {

std::vector<Check> planted_faults(const Target& target);

// Writes to memory of the device and reads it back. Nothing where it works in the host's memory.
void use_memory(OpenDevice& device);

}  // namespace loci::verify
