// conv2d, fused_conv2d and conv2d_grad_input by filters of 3 x 3, by Winograd's method.
#pragma once

#include "plugins/kernels/kernel_list.h"

namespace loci::cpu {

kernels::KernelDefs winograd_kernels();

}  // namespace loci::cpu
