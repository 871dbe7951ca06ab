// sample.swish: out = x * sigmoid(beta * x).
//   x     float16, bfloat16, float32 or float64, any shape
//   out   dtype and shape of x
//   beta  from 0 to 100, 1 by default
#pragma once

#include <cstdint>
#include <loci/plugin/kernel.hpp>
#include <loci/plugin/ops.hpp>

namespace sample_plugin {

// Goes up when slots, attributes or what is computed change. Programs name the one they were saved
// with, and older ones are upgraded.
inline constexpr std::uint32_t kSwishVersion = 2;

// Slots, attributes, types, gradient, cost: the same for every device.
loci::sdk::OpDef swish_op();
// Computes it on the CPU.
loci::sdk::KernelDef swish_kernel();

}  // namespace sample_plugin
