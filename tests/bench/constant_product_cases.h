// Products by a matrix that never changes, as models have them.
#pragma once

#include <vector>

#include "tests/bench/kernel_cases.h"

namespace loci::bench {

// The products are of one row, which reads each element of the matrix once.
std::vector<KernelCase> constant_product_cases();

}  // namespace loci::bench
