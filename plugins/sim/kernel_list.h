// Which kernels the software accelerator has.
#pragma once

#include <array>
#include <string_view>

#include "plugins/kernels/kernel_list.h"

namespace loci::sim {

// Ops left out on purpose, so that programs which use them fall back to the CPU: an op whose result
// has a size that depends on data, one at the end of most programs, one in their middle, and one
// with a gradient of its own.
inline constexpr std::array<std::string_view, 5> kAbsentOps = {
    "nonzero", "accuracy", "argmax", "bilinear_interp", "bilinear_interp_grad"};

// The portable ones but for those, and for the ops of the list `without`, such as
// "softmax+layer_norm". Throws sdk::Error(LOCI_CODE_INVALID_ARGUMENT) for an op that has no kernel.
kernels::KernelDefs sim_kernels(std::string_view without = {});

}  // namespace loci::sim
