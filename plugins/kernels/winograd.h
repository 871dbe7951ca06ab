// Convolution by Winograd's method: 3 x 3, stride and dilation 1, one group, float32, images
// [batch, channels, height, width] in the layouts that the plan says.
#pragma once

#include <loci/plugin/host.hpp>

#include "plugins/kernels/epilogue.h"
#include "plugins/kernels/winograd_plan.h"

namespace loci::kernels {

// out = epilogue(x * filter), of activations kNone and kRelu only. `packed` is plan.filter's;
// `workspace` has plan.workspace_bytes() and is 64-byte aligned. Allocates nothing. Errors: see
// winograd_error.h; what is no finite number in x makes the outputs of each tile whose inputs hold
// it NaN or infinite.
void convolve(const sdk::Host& host, const WinogradPlan& plan, const float* x, const float* packed,
              const PlaneEpilogue& epilogue, float* workspace, float* out);

}  // namespace loci::kernels
