// Handing a planned call's kernel to a device.
#pragma once

#include <loci/abi/base.h>

#include "framework/eager/call_plan.h"
#include "framework/eager/lane.h"
#include "framework/tensor/tensor_impl.h"

namespace loci::eager {

// Memory for an output that the call makes anew. Throws Error(kOutOfMemory).
[[nodiscard]] Tensor make_output(const CallPlan& plan, const PlannedOutput& output, Lane& lane);

// Launches the kernel, or runs it on an inline device. `arguments` are the flat inputs, then the
// outputs; null where one is absent. Throws Error with the kernel's message.
void launch(const CallPlan& plan, const tensor::TensorImpl* const* arguments, loci_stream* stream);

}  // namespace loci::eager
