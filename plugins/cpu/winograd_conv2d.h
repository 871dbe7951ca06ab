// conv2d and fused_conv2d by a constant filter of 3 x 3, by Winograd's method.
#pragma once

#include <loci/plugin/kernel.hpp>

#include "plugins/kernels/kernel_list.h"

namespace loci::cpu {

kernels::KernelDefs winograd_kernels();

// Packs a filter for one of these kernels; false for a layout of others. Thread-safe.
bool relayout_winograd(const sdk::RelayoutCall& call);

}  // namespace loci::cpu
