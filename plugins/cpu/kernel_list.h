// The kernels of the CPU plugin.
#pragma once

#include "plugins/kernels/kernel_list.h"

namespace loci::cpu {

// Which kernels there are besides the portable ones and those that pack constant matrices.
struct KernelChoice {
  bool onednn = true;
  bool winograd = true;
};

// Best first: those that pack constants, oneDNN's, the portable ones.
kernels::KernelDefs cpu_kernels(const KernelChoice& choice);

}  // namespace loci::cpu
