// Launches of executables: what they compute, and what comes before what.
#pragma once

#include <vector>

#include "tools/conformance/verify/capture/capture_bench.h"

namespace loci::verify {

std::vector<Check> capture_replay_checks(const CaptureBenchPtr& bench);

}  // namespace loci::verify
