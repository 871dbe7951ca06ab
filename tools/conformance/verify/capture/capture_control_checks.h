// Checks of the level capture: loops and branches about which the device decides.
#pragma once

#include <vector>

#include "tools/conformance/verify/capture/capture_bench.h"

namespace loci::verify {

// Skipped where the capturer has none.
std::vector<Check> capture_control_checks(const CaptureBenchPtr& bench);

}  // namespace loci::verify
