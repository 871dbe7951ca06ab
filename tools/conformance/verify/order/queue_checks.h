// Checks that streams are as the device states them: independent, or one queue.
#pragma once

#include <memory>
#include <vector>

#include "tools/conformance/verify/bench.h"

namespace loci::verify {

std::vector<Check> queue_checks(const std::shared_ptr<Bench>& bench);

}  // namespace loci::verify
