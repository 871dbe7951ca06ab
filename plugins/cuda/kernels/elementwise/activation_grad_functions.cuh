// out_grad times the derivative of an activation, by its result or its operand.
#pragma once

#include "kernels/elementwise/unary_functions.cuh"

namespace loci::cuda {

// The result tells the gradient; NaN lets the gradient through.
struct ReluGrad {
  template <class C>
  static __device__ C value(C out, C out_grad) {
    return out <= 0 ? C{0} : out_grad;
  }
};

struct SigmoidGrad {
  template <class C>
  static __device__ C value(C out, C out_grad) {
    return out_grad * out * (1 - out);
  }
};

struct TanhGrad {
  template <class C>
  static __device__ C value(C out, C out_grad) {
    return out_grad * (1 - out) * (1 + out);
  }
};

// Where the derivative of gelu has long been at its limits.
template <class C>
__device__ C not_far(C x) {
  return not_far_below(x) > 100 ? C{100} : not_far_below(x);
}

// The slope at x is P(x) + x p(x).
struct GeluGrad {
  static constexpr double kDensityAtZero = 0.3989422804014327;  // 1 / sqrt(2 pi)

  template <class C>
  static __device__ C value(C x, C out_grad) {
    const C near = not_far(x);
    const C density = static_cast<C>(kDensityAtZero) * exp(static_cast<C>(-0.5) * (near * near));
    return out_grad * (normcdf(x) + near * density);
  }

  static __device__ float value(float x, float out_grad) {
    const float a = distance(x);
    const NormalTail normal = normal_tail(a);
    const float slope = __fmaf_rn(-a, normal.density, normal.tail);  // at -a
    return out_grad * (x > 0 ? 1 - slope : slope);
  }
};

// The slope at x is s + x s (1 - s) (2 u)', with s (1 - s) from the side where 1 - s is small.
struct GeluTanhGrad {
  template <class C>
  static __device__ C value(C x, C out_grad) {
    const C near = not_far(x);
    const C square = near * near;
    const C argument = near * (static_cast<C>(GeluTanh::kTwice) +
                               static_cast<C>(GeluTanh::kTwice * GeluTanh::kCubic) * square);
    const C slope = static_cast<C>(GeluTanh::kTwice) +
                    static_cast<C>(3 * GeluTanh::kTwice * GeluTanh::kCubic) * square;
    const C s = Sigmoid::value(argument);
    return out_grad * (s + near * (s * Sigmoid::value(-argument)) * slope);
  }
};

}  // namespace loci::cuda
