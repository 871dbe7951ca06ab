// How instructions are issued, and in which order.
#pragma once

#include <cstdint>
#include <vector>

#include "framework/execution/plan.h"
#include "framework/planning/dependencies.h"

namespace loci::planning {

enum class EnqueueKind : std::uint8_t {
  kHost,      // the issuing thread does it itself; a loop too, which waits for its own work
  kQueued,    // it enters a stream
  kBlocking,  // it enters a stream, and the issuing thread waits for it
};

EnqueueKind enqueue_kind(const execution::Plan& plan, const execution::Instruction& instruction);
// In whose streams it runs, unless it is kHost.
device::Device* enqueue_device(const execution::Plan& plan,
                               const execution::Instruction& instruction);

// Devices are fed before the host works itself: first what enters a stream, then copies to devices,
// kernels of the host, those that devices hang on first, and last what waits for a device. What is
// alike keeps the order of the program.
std::vector<std::uint32_t> enqueue_order(const execution::Plan& plan,
                                         const Dependencies& dependencies);

}  // namespace loci::planning
