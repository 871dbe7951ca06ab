// The kernels of the CPU plugin.
#pragma once

#include "plugins/kernels/kernel_list.h"

namespace loci::cpu {

// Best first: oneDNN's where it is used at all, then the portable ones.
kernels::KernelDefs cpu_kernels(bool with_onednn);

}  // namespace loci::cpu
