// Calls of a capturer in random order, allowed and forbidden ones, against what has to come out.
#pragma once

#include <vector>

#include "tools/conformance/verify/capture/capture_bench.h"

namespace loci::verify {

std::vector<Check> capture_random_checks(const CaptureBenchPtr& bench);

}  // namespace loci::verify
