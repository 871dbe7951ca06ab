// The kernels: float32, dense. One function per family, each defined in the file of that name.
#pragma once

#include <loci/plugin/kernel.hpp>
#include <string_view>
#include <vector>

namespace opencl {

using Kernels = std::vector<loci::sdk::KernelDef>;

inline constexpr std::string_view kName = "opencl";
inline constexpr std::uint64_t kFloat32 = LOCI_DTYPE_BIT(LOCI_DTYPE_F32);

void add_creation(Kernels& kernels);
void add_elementwise(Kernels& kernels);
void add_loss(Kernels& kernels);
void add_matmul(Kernels& kernels);
void add_movement(Kernels& kernels);
void add_optimizer(Kernels& kernels);
void add_reduce(Kernels& kernels);
void add_softmax(Kernels& kernels);

loci::sdk::KernelList all_kernels();

}  // namespace opencl
