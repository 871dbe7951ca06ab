// Checks of the level order about whole streams: what a copy that says it waited has done, what
// stays of a stream that is destroyed, and several threads on one stream.
#pragma once

#include <memory>
#include <vector>

#include "tools/conformance/verify/bench.h"

namespace loci::verify {

std::vector<Check> stream_checks(const std::shared_ptr<Bench>& bench);

}  // namespace loci::verify
