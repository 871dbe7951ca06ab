// Kernels that run oneDNN primitives, for float32 and the 16-bit formats. Each refuses what the
// portable kernel does faster.
#pragma once

#include "plugins/kernels/kernel_list.h"

namespace loci::cpu::onednn {

using kernels::KernelDefs;

// Below, packing and calling cost more than the faster inner loop saves.
inline constexpr double kLeastProductMultiplications = 32'768;

void add_conv2d(KernelDefs& kernels);
void add_matmul(KernelDefs& kernels);
void add_pool2d(KernelDefs& kernels);

KernelDefs onednn_kernels();

}  // namespace loci::cpu::onednn
