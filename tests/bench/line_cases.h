// Ops that go along the lines of an axis: running sums, and what puts lines in order.
#pragma once

#include <vector>

#include "tests/bench/kernel_cases.h"

namespace loci::bench {

std::vector<KernelCase> line_cases();

}  // namespace loci::bench
