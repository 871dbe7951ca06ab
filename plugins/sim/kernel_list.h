// Which kernels the software accelerator has.
#pragma once

#include <string_view>
#include <vector>

#include "plugins/kernels/kernel_list.h"

namespace loci::sim {

// The ops of absent_ops.cmake, which are left out on purpose.
const std::vector<std::string_view>& absent_ops();

// The portable ones but for those, and for the ops of the list `without`, such as
// "softmax+layer_norm". Throws sdk::Error(LOCI_CODE_INVALID_ARGUMENT) for an op that has no kernel.
kernels::KernelDefs sim_kernels(std::string_view without = {});

}  // namespace loci::sim
