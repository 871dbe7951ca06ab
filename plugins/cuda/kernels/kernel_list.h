// The kernels of the plugin. One function per family, each defined in the file of that name.
#pragma once

#include <loci/plugin/kernel.hpp>
#include <string_view>
#include <vector>

namespace loci::cuda {

using Kernels = std::vector<sdk::KernelDef>;

inline constexpr std::string_view kName = "cuda";

void add_movement(Kernels& kernels);
void add_unary(Kernels& kernels);

sdk::KernelList all_kernels();

}  // namespace loci::cuda
