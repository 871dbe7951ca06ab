// What of a plan no graph of one device can have.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "framework/run/plan.h"

namespace loci::runtime {

struct CaptureProblem {
  std::size_t instruction = 0;
  std::string reason;
  std::string remedy;
};

// Of all instructions, in order, for a graph of that device; linear in their number. What a plan
// has for later stages is not in it, see Plan::rest.
[[nodiscard]] std::vector<CaptureProblem> capture_problems(const Plan& plan,
                                                           const device::Device& device);

// Of that one; the reason is empty where there is none.
[[nodiscard]] CaptureProblem capture_problem(const Plan& plan, std::size_t instruction,
                                             const device::Device& device);

// Why no graph has it.
[[nodiscard]] const char* loop_refusal(const LoopStep& loop);

// Why the device's capturer could not record a launch; empty if it can.
[[nodiscard]] std::string record_refusal(const Plan& plan, std::size_t instruction);

// Of a plan with a rest, whose extents hang on values.
inline constexpr const char* kValueExtentsReason =
    "it has extents that hang on values, which the host reads within the run";
inline constexpr const char* kValueExtentsRemedy = "capture programs of fixed extents";

}  // namespace loci::runtime
