// Convolutions as models have them: the filter never changes, so that everybody may pack it.
#pragma once

#include <vector>

#include "tests/bench/kernel_cases.h"

namespace loci::bench {

// Residual and mobile networks are made of these sizes: 3 x 3, 1 x 1, 7 x 7, and of each channel by
// itself.
std::vector<KernelCase> constant_conv_cases();

}  // namespace loci::bench
