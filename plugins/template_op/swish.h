// sample.swish: out = x * sigmoid(beta * x).
//   x     float16, bfloat16, float32 or float64, any shape
//   out   dtype and shape of x
//   beta  from 0 to 100, 1 by default
#pragma once

#include <cstdint>
#include <loci/plugin/kernel.hpp>
#include <loci/plugin/ops.hpp>

namespace sample_plugin {

namespace sdk = loci::sdk;

// Goes up with slots, attributes and what is computed: programs name the one they were saved with.
inline constexpr std::uint32_t kSwishVersion = 2;

// Slots, attributes, types, gradient, cost: the same for every device.
sdk::OpDef swish_op();
// Computes it on the CPU.
sdk::KernelDef swish_kernel();

}  // namespace sample_plugin
