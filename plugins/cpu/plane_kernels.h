// Kernels for images that come and go in the plain layout.
#pragma once

#include "plugins/kernels/kernel_list.h"

namespace loci::cpu {

// conv2d and fused_conv2d of each channel by itself.
kernels::KernelDefs plane_kernels();

}  // namespace loci::cpu
