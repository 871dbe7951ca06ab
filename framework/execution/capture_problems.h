// The parts of a plan that no graph of one device can have.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "framework/execution/plan.h"

namespace loci::execution {

struct CaptureProblem {
  std::size_t instruction = 0;
  std::string reason;
  std::string remedy;
};

// Lists the problems of all instructions, in order, for a graph of that device; linear in their
// number. What a plan has for later stages is not in it, see Plan::rest.
[[nodiscard]] std::vector<CaptureProblem> capture_problems(const Plan& plan,
                                                           const device::Device& device);

// Gives the problem of one instruction; the reason is empty where there is none.
[[nodiscard]] CaptureProblem capture_problem(const Plan& plan, std::size_t instruction,
                                             const device::Device& device);

// Why no graph has it that a device records by itself.
[[nodiscard]] const char* loop_refusal(const LoopStep& loop);
inline constexpr const char* kDecidedOnHost = "what it decides by is read on the host";

// Why the device's capturer could not record a launch; empty if it can.
[[nodiscard]] std::string record_refusal(const Plan& plan, std::size_t instruction);

// A part that a plan leaves to later stages, since the host reads values within the run.
struct RestProblem {
  std::string op;  // "[case] case_0", or "[capture] the program"
  std::string reason;
  std::string remedy;
};
// Each operator that decides what runs, and then once extents that hang on values, where there are
// some. Empty without a rest.
[[nodiscard]] std::vector<RestProblem> rest_problems(const Plan& plan);

}  // namespace loci::execution
