// Threads that use one stream, one after the other.
#pragma once

#include <memory>
#include <vector>

#include "tools/conformance/verify/bench.h"

namespace loci::verify {

std::vector<Check> hand_over_checks(const std::shared_ptr<Bench>& bench);

}  // namespace loci::verify
