// Reports of what keeps a plan from being captured.
#pragma once

#include <cstdint>
#include <loci/inspect.hpp>
#include <vector>

#include "framework/execution/plan.h"

namespace loci::executor {

// Who captures: runs of an executor are captured by themselves, and their graphs may have loops
// and branches about which the device decides.
enum class Capturing : std::uint8_t { kExecutor, kGraph };

// Returns what keeps the plan from being one graph of the device. What is fed is no problem.
[[nodiscard]] std::vector<inspect::CaptureProblem> capture_problems_of(
    const execution::Plan& plan, device::Device& device,
    Capturing capturing = Capturing::kExecutor);
// Tells of the latest capture of a plan that has `captures`.
[[nodiscard]] std::vector<inspect::CapturedPart> captured_parts(const execution::Plan& plan);
// Tells of the cores of a plan with core_forks.
void tell_cores(const execution::Plan& plan, inspect::PlanCapture* told);
// Returns a fed and a fetched tensor that a Graph cannot capture in a run, at most one of each.
[[nodiscard]] std::vector<inspect::CaptureProblem> exchange_problems(
    const Feed& feed, const std::vector<Fetch>& fetch);
// Throws Error(kUnsupported) with the first, and all in its details.
void require_capturable(const execution::Plan& plan, device::Device& device);

}  // namespace loci::executor
