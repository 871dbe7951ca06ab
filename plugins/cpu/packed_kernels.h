// Kernels whose weights are packed once, where they are constant.
#pragma once

#include "plugins/kernels/kernel_list.h"

namespace loci::cpu {

// matmul, mul and fused_matmul.
kernels::KernelDefs packed_matmul_kernels();
// conv2d and fused_conv2d by filters of one pixel, of images that have channels last.
kernels::KernelDefs pointwise_kernels();
// conv2d and fused_conv2d of each channel by itself, of images that have channels last.
kernels::KernelDefs depthwise_kernels();
// conv2d_grad_filter, of those.
kernels::KernelDefs filter_grad_kernels();

}  // namespace loci::cpu
