// Kernels whose weights are packed once, where they are constant.
#pragma once

#include <loci/plugin/kernel.hpp>

#include "plugins/kernels/kernel_list.h"

namespace loci::cpu {

kernels::KernelDefs packed_kernels();

// Packs a constant for one of these kernels; false for a layout of others. Thread-safe.
bool relayout_packed(const sdk::RelayoutCall& call);

}  // namespace loci::cpu
