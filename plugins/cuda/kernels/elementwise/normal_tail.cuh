// The standard normal distribution beyond a point, of float32.
#pragma once

#include "kernels/device/device_functions.cuh"
#include "kernels/device/polynomial.cuh"

namespace loci::cuda {

struct NormalTail {
  // Beyond it the tail is 0.
  static constexpr float kFar = 14.5F;

  float tail;     // P(X > a)
  float density;  // at a
};

// For 0 <= a <= kFar or NaN: e^(-a^2 / 2) times the quotient of polynomials that the portable
// kernels have. All its terms are positive, so no digit is lost. Within (a^2 + 10) roundoffs, as
// two products make the exponent.
__device__ inline NormalTail normal_tail(float a) {
  constexpr float kAbove[] = {5.000000029852315e-01F, 4.384993216649575e-01F,
                              1.833867569293066e-01F, 4.0684397821284905e-02F,
                              4.123919644774857e-03F};
  constexpr float kBelow[] = {1.0F,
                              1.6748836292412652F,
                              1.2031324606749485F,
                              4.698709392972971e-01F,
                              1.0198703969665578e-01F,
                              1.0337015544028574e-02F};
  constexpr float kHalfOfBinaryE = 0.7213475204444817F;  // log2(e) / 2
  constexpr float kDensityAtZero = 0.3989422804014327F;  // 1 / sqrt(2 pi)
  const float power = power_of_two((a * -kHalfOfBinaryE) * a);
  const float quotient = polynomial(kAbove, a) * reciprocal(polynomial(kBelow, a));
  return {power * quotient, power * kDensityAtZero};
}

// |x|, where it is within the tail.
__device__ inline float distance(float x) {
  const float size = fabsf(x);
  return size > NormalTail::kFar ? NormalTail::kFar : size;  // NaN passes
}

}  // namespace loci::cuda
