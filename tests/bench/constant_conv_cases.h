// Convolutions as models have them: the filter never changes, so that everybody may pack it.
#pragma once

#include <vector>

#include "tests/bench/kernel_cases.h"

namespace loci::bench {

// 3 x 3, of the sizes that residual networks are made of.
std::vector<KernelCase> constant_conv_cases();

}  // namespace loci::bench
