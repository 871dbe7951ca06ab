// What a convolution does with its sums before they are written.
#pragma once

#include <cstdint>

namespace loci::kernels {

enum class ConvActivation : std::uint8_t { kNone, kRelu };

// out = activation(sum * scale[filter] + shift[filter] + residual). What is null is left out. The
// memory is borrowed for the call; `residual` may be `out` itself.
struct ConvEpilogue {
  const float* scale = nullptr;     // one for each filter
  const float* shift = nullptr;     // one for each filter
  const float* residual = nullptr;  // laid out as the result
  ConvActivation activation = ConvActivation::kNone;
};

}  // namespace loci::kernels
