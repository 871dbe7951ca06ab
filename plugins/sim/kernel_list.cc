#include "plugins/sim/kernel_list.h"

#include <algorithm>

namespace loci::sim {

kernels::KernelDefs sim_kernels() {
  kernels::KernelDefs list = kernels::portable_kernels();
  const auto absent = [](const sdk::KernelDef& kernel) {
    return std::find(kAbsentOps.begin(), kAbsentOps.end(), kernel.op) != kAbsentOps.end();
  };
  list.erase(std::remove_if(list.begin(), list.end(), absent), list.end());
  return list;
}

}  // namespace loci::sim
