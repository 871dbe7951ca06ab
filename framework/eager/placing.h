// Where a call on tensors runs.
#pragma once

#include <loci/op_call.hpp>

#include "framework/device/device.h"
#include "framework/eager/call_plan.h"

namespace loci::eager {

// The guard's device, if there is one; else where the call's tensors are, and the host without any.
// A host tensor of one element goes where the others are; values that are read on the host, and
// those of which only the shape is read, do not count. Throws Error(kInvalidArgument) for tensors
// of several places.
device::Device& place_of(const OpCall<Tensor>& call, const CallForm& form, device::Device* guard);

// The CPU's device.
device::Device& host_device();

}  // namespace loci::eager
