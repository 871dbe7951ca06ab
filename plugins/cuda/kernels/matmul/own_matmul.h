// The products of matmul.cu, which take whatever cuBLASLt does not.
#pragma once

#include <loci/plugin/kernel.hpp>
#include <memory>

#include "module_cache.h"

extern "C" const unsigned long long loci_cuda_matmul[];

namespace loci::cuda {

inline constexpr KernelImage kMatmulImage{"matmul", loci_cuda_matmul};

// Makes the plugin's own kernel of matmul, mul or fused_matmul.
[[nodiscard]] std::unique_ptr<sdk::Kernel> make_own_matmul(const sdk::OpDesc& op);

}  // namespace loci::cuda
