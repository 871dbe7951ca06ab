// Checks of the level capture: graphs that fork and join.
#pragma once

#include <vector>

#include "tools/conformance/verify/capture/capture_bench.h"

namespace loci::verify {

// Skipped where the capturer has none.
std::vector<Check> capture_fork_checks(const CaptureBenchPtr& bench);

}  // namespace loci::verify
