// The convolutions of conv2d.cu, conv2d_patch.cu and conv2d_filter.cu, which take whatever cuDNN
// and cuBLASLt do not.
#pragma once

#include <loci/plugin/kernel.hpp>
#include <memory>

#include "module_cache.h"

extern "C" const unsigned long long loci_cuda_conv2d[];

namespace loci::cuda {

inline constexpr KernelImage kConvImage{"conv2d", loci_cuda_conv2d};

// Returns true if tensor cores multiply tiles of the operator's: of halves, and of float32 where
// that may be rounded to TF32.
[[nodiscard]] bool takes_tensor_cores(const sdk::Prepare& prepare);

// Makes the plugin's own kernel of conv2d or fused_conv2d.
[[nodiscard]] std::unique_ptr<sdk::Kernel> make_own_conv2d(const sdk::OpDesc& op);
[[nodiscard]] std::unique_ptr<sdk::Kernel> make_own_conv2d_grad_input(const sdk::OpDesc& op);
[[nodiscard]] std::unique_ptr<sdk::Kernel> make_own_conv2d_grad_filter(const sdk::OpDesc& op);

}  // namespace loci::cuda
