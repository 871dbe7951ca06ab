// Polynomials of float32, each step rounded once.
#pragma once

namespace loci::cuda {

// The coefficient of x^i is coefficients[i].
template <int count>
__device__ float polynomial(const float (&coefficients)[count], float x) {
  float sum = coefficients[count - 1];
#pragma unroll
  for (int i = count - 2; i >= 0; --i) sum = __fmaf_rn(sum, x, coefficients[i]);
  return sum;
}

}  // namespace loci::cuda
