// Vectors of functions that have another way for a few elements, such as sines of huge arguments.
#pragma once

#include <algorithm>
#include <cstdint>

#include "plugins/kernels/isa.h"
#include "plugins/kernels/simd_trigonometry.h"

namespace loci::kernels {

LOCI_INLINE inline bool has_circular_far(const float* x, std::int64_t count) {
  const auto far = static_cast<std::int32_t>(simd::to_bits<float>(simd::kCircularFar));
  std::int32_t found = 0;
#pragma omp simd reduction(| : found)
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t magnitude = simd::to_bits<float>(x[i]) & 0x7FFFFFFFU;
    found |= static_cast<std::int32_t>(static_cast<std::int32_t>(magnitude) > far);
  }
  return found != 0;
}

// out[i] = F::value(x[i]); `out` may be `x`. A block that has a far element is computed one by one.
template <class F>
LOCI_INLINE inline void circular_block(float* out, const float* x, std::int64_t count) {
  if (has_circular_far(x, count)) {
    for (std::int64_t i = 0; i < count; ++i) out[i] = F::value(x[i]);
    return;
  }
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) out[i] = F::near(x[i]);
}

// All elements, as Map asks for them.
template <class F>
std::int64_t circular_lanes(float* out, const float* x, std::int64_t count) {
  constexpr std::int64_t kBlock = 256;
  run_widest([&](auto) LOCI_INLINE {
    for (std::int64_t begin = 0; begin < count; begin += kBlock) {
      circular_block<F>(out + begin, x + begin, std::min(kBlock, count - begin));
    }
  });
  return count;
}

}  // namespace loci::kernels
