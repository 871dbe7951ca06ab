// Exponentials in bulk, by an instruction that some processors have for the exponent.
#pragma once

#include <cstdint>

namespace loci::kernels {

// out[i] = simd::exp(x[i]), the same bits, from the first on for as many elements as make whole
// vectors, none where the processor has nothing faster. Returns how many. `out` may be `x`.
std::int64_t exp_lanes(float* out, const float* x, std::int64_t count);

}  // namespace loci::kernels
