// Handing a planned call's kernel to a device.
#pragma once

#include <loci/abi/base.h>

#include "framework/eager/call_plan.h"
#include "framework/eager/queue.h"
#include "framework/tensor/tensor_impl.h"

namespace loci::eager {

// When an output gets its memory. Host memory may be taken by the task that writes it, just before
// it does: a worker then finds the memory that the op before has left, which is still in its cache,
// instead of one block for each op that waits.
enum class Provision { kNow, kByTask };

// An output that the call makes anew. Large ones have their memory at once in any case, so that a
// lack of it is thrown at the call. Throws Error(kOutOfMemory).
[[nodiscard]] Tensor make_output(const CallPlan& plan, const PlannedOutput& output, Queue& queue,
                                 Provision provision);

// Launches the kernel, or runs it on an inline device. `arguments` are the flat inputs, then the
// outputs; null where one is absent. A `correlation` of 0: the launch has one only if it is
// recorded. Throws Error with the kernel's message.
void launch(const CallPlan& plan, const tensor::TensorImpl* const* arguments, loci_stream* stream,
            std::uint64_t correlation = 0);

}  // namespace loci::eager
