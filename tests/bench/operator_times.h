// The operators of a call, as the profiler sees them.
#pragma once

#include <functional>
#include <vector>

#include "tests/bench/roofline.h"

namespace loci::bench {

// Runs the call again and again, under the profiler, and gives the operators in the order in which
// they ran first. Times are medians, since other work of the machine meets some of the runs.
std::vector<OperatorTime> operator_times(const std::function<void()>& call);

}  // namespace loci::bench
