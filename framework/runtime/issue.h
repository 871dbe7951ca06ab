// How instructions are issued, and in which order.
#pragma once

#include <cstdint>
#include <vector>

#include "framework/runtime/dependencies.h"
#include "framework/runtime/plan.h"

namespace loci::runtime {

enum class IssueKind : std::uint8_t {
  kHost,      // the issuing thread does it itself
  kQueued,    // it enters a stream
  kBlocking,  // it enters a stream, and the issuing thread waits for it
};

IssueKind issue_kind(const Plan& plan, const Instruction& instruction);
// In whose streams it runs, unless it is kHost.
device::Device* issue_device(const Plan& plan, const Instruction& instruction);
// Whether all that the plan has is kernels and copies.
bool has_plain_instructions(const Plan& plan);

// Devices are fed before the host works itself: first what enters a stream, then copies to devices,
// kernels of the host, those that devices hang on first, and last what waits for a device. What is
// alike keeps the order of the program.
std::vector<std::uint32_t> issue_order(const Plan& plan, const Dependencies& dependencies);

}  // namespace loci::runtime
