// Fused ops by the portable kernels of their products.
#pragma once

#include "plugins/kernels/kernel_list.h"

namespace loci::cpu {

// Returns kernels of fused_matmul and fused_conv2d for everything that others refuse.
kernels::KernelDefs fused_kernels();

}  // namespace loci::cpu
