// Capturers and what they make: opened and closed, by several threads, with nothing left behind.
#pragma once

#include <vector>

#include "tools/conformance/verify/capture/capture_bench.h"

namespace loci::verify {

std::vector<Check> capture_life_checks(const CaptureBenchPtr& bench);

}  // namespace loci::verify
