// Activations of one element, to be inlined into vector loops. C is the dtype computed in.
#pragma once

#include <cmath>
#include <cstdint>

#include "plugins/kernels/isa.h"
#include "plugins/kernels/simd_math.h"

namespace loci::kernels {

// Each function says what an element costs with vectors of 32 bytes; float64 takes three times
// that.

struct Sigmoid {
  static constexpr std::int64_t kPicoseconds = 900;
  template <class C>
  LOCI_INLINE static C value(C x) {
    return simd::sigmoid(x);
  }
};

struct Tanh {
  static constexpr std::int64_t kPicoseconds = 800;
  template <class C>
  LOCI_INLINE static C value(C x) {
    return simd::tanh(x);
  }
};

// x P(X <= x) = max(x, 0) - |x| P(X > |x|): the tail keeps its digits on both sides.
struct Gelu {
  static constexpr std::int64_t kPicoseconds = 1900;
  template <class C>
  LOCI_INLINE static C value(C x) {
    const C distance = simd::not_above(simd::ends<C>().gelu_far, std::abs(x));
    const C tail = simd::normal_tail(distance).tail;
    return simd::fused(-distance, tail, simd::not_below(C(-0.0), x));
  }
  // P(x) + x p(x).
  template <class C>
  LOCI_INLINE static C derivative(C x) {
    const C near = clamped(x);
    const auto normal = simd::normal_tail(std::abs(near));
    return (x > 0 ? 1 - normal.tail : normal.tail) + near * normal.density;
  }
  template <class C>
  LOCI_INLINE static C clamped(C x) {
    return simd::not_above(simd::ends<C>().gelu_far, not_far_below(x));
  }
  // Infinity must not meet 0.
  template <class C>
  LOCI_INLINE static C not_far_below(C x) {
    return simd::not_below(-simd::ends<C>().gelu_far, x);
  }
};

// (1 + tanh(u)) / 2 = sigmoid(2 u), which keeps the digits of small results.
struct GeluTanh {
  static constexpr std::int64_t kPicoseconds = 1200;
  static constexpr double kTwice = 1.5957691216057307;  // 2 sqrt(2 / pi)
  static constexpr double kCubic = 0.044715;

  template <class C>
  LOCI_INLINE static C value(C x) {
    const C near = Gelu::not_far_below(x);
    return near * simd::sigmoid(argument(near));
  }
  // s + x s (1 - s) (2 u)', with s (1 - s) from the side where 1 - s is small.
  template <class C>
  LOCI_INLINE static C derivative(C x) {
    const C near = Gelu::clamped(x);
    const C s = simd::sigmoid(argument(near));
    const C rest = simd::sigmoid(-argument(near));
    const C slope = static_cast<C>(kTwice) + static_cast<C>(3 * kTwice * kCubic) * (near * near);
    return s + near * (s * rest) * slope;
  }
  template <class C>
  LOCI_INLINE static C argument(C x) {
    return x * (static_cast<C>(kTwice) + static_cast<C>(kTwice * kCubic) * (x * x));
  }
};

struct HardSigmoid {
  static constexpr std::int64_t kPicoseconds = 160;
  template <class C>
  LOCI_INLINE static C value(C x) {
    const C risen = x + 3;
    const C above = risen < 0 ? C(0) : risen;  // NaN passes
    return (above > 6 ? C(6) : above) * static_cast<C>(1.0 / 6);
  }
};

struct HardSwish {
  static constexpr std::int64_t kPicoseconds = 200;
  template <class C>
  LOCI_INLINE static C value(C x) {
    const C near = x < -3 ? C(-3) : x;  // infinity must not meet 0
    return near * HardSigmoid::value(near);
  }
};

}  // namespace loci::kernels
