// Checks the functions that change an executable: patch and update.
#pragma once

#include <vector>

#include "tools/conformance/verify/capture/capture_bench.h"

namespace loci::verify {

std::vector<Check> capture_change_checks(const CaptureBenchPtr& bench);

}  // namespace loci::verify
