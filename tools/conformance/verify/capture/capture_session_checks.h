// Recordings of a stream: begin, end and abort in each order, and what is refused meanwhile.
#pragma once

#include <vector>

#include "tools/conformance/verify/capture/capture_bench.h"

namespace loci::verify {

std::vector<Check> capture_session_checks(const CaptureBenchPtr& bench);

}  // namespace loci::verify
