// Runs all steps, several at a time where that is asked for.
#pragma once

#include <functional>
#include <vector>

#include "tests/gpu_suite/run_step.h"

namespace loci::gpu_suite {

// In the order of `steps`. Up to `jobs` run beside each other, then those that want to be alone, in
// their order. `told` has each result when it is there, one at a time.
std::vector<StepResult> run_steps(const std::vector<Step>& steps, const RunSettings& settings,
                                  int jobs, const std::function<void(const StepResult&)>& told);

}  // namespace loci::gpu_suite
