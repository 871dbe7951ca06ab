// Functions of one element, to be inlined into vector loops, by the names that
// loci/plugin/elementwise_functions.hpp gives them. C is the dtype computed in. NaN passes.
#pragma once

#include <cmath>
#include <cstdint>
#include <loci/plugin/elementwise_functions.hpp>
#include <type_traits>

#include "plugins/kernels/isa.h"
#include "plugins/kernels/power_functions.h"
#include "plugins/kernels/simd_math.h"
#include "plugins/kernels/wrapping.h"

namespace loci::kernels {

// A function that costs more than a few operations says what an element of float32 costs with
// vectors of 32 bytes; float64 takes three times that, unless the function says so itself.
//
// A straight function consists of comparisons, sums and products alone. C may be a vector of
// float32 for it, so that loops apply it to results which they have in registers: in place, as
// vectors cannot be passed by value everywhere.
template <class F>
struct Straight {
  static constexpr bool kIsStraight = true;
  template <class C>
  LOCI_INLINE static C value(C x) {
    F::apply(x);
    return x;
  }
};

// An element of a C, which may be a vector of float32.
template <class C>
using scalar_t = std::conditional_t<std::is_arithmetic_v<C>, C, float>;

struct Exp {
  static constexpr std::int64_t kPicoseconds = 800;
  template <class C>
  LOCI_INLINE static C value(C x) {
    return simd::exp(x);
  }
};

struct Log {
  static constexpr std::int64_t kPicoseconds = 900;
  template <class C>
  LOCI_INLINE static C value(C x) {
    return simd::log(x);
  }
};

struct Erf {
  static constexpr std::int64_t kPicoseconds = 700;
  static constexpr std::int64_t kDoublePicoseconds = 7000;  // both sides of 1 are computed
  template <class C>
  LOCI_INLINE static C value(C x) {
    return simd::erf(x);
  }
};

struct Sqrt {
  template <class C>
  LOCI_INLINE static C value(C x) {
    return std::sqrt(x);
  }
};

struct Rsqrt {
  template <class C>
  LOCI_INLINE static C value(C x) {
    return 1 / std::sqrt(x);
  }
};

struct Floor {
  template <class C>
  LOCI_INLINE static C value(C x) {
    return std::floor(x);
  }
};

struct Ceil {
  template <class C>
  LOCI_INLINE static C value(C x) {
    return std::ceil(x);
  }
};

// Halves to even: the mode that the processor is in by default.
struct Round {
  template <class C>
  LOCI_INLINE static C value(C x) {
    return std::nearbyint(x);
  }
};

struct Trunc {
  template <class C>
  LOCI_INLINE static C value(C x) {
    return std::trunc(x);
  }
};

struct Reciprocal {
  template <class C>
  LOCI_INLINE static C value(C x) {
    return 1 / x;
  }
};

// From 1e18 on the quotient is 1, also of float64; infinity must not be divided by itself.
struct Softsign {
  template <class C>
  LOCI_INLINE static C value(C x) {
    const C near = simd::not_above(static_cast<C>(1e18), std::abs(x));
    return std::copysign(near / (1 + near), x);
  }
};

// Integers wrap, which only unsigned ones of 32 bits or more do by themselves.
struct Abs {
  template <class C>
  LOCI_INLINE static C value(C x) {
    if constexpr (std::is_floating_point_v<C>) {
      return std::abs(x);
    } else if constexpr (std::is_unsigned_v<C>) {
      return x;
    } else {
      return x < 0 ? static_cast<C>(0U - static_cast<wrapping_t<C>>(x)) : x;
    }
  }
};

struct Square {
  template <class C>
  LOCI_INLINE static C value(C x) {
    if constexpr (std::is_floating_point_v<C>) {
      return x * x;
    } else {
      return static_cast<C>(static_cast<wrapping_t<C>>(x) * static_cast<wrapping_t<C>>(x));
    }
  }
};

// The sign of a zero or of NaN is the value itself.
struct Sign {
  template <class C>
  LOCI_INLINE static C value(C x) {
    if constexpr (std::is_unsigned_v<C>) {
      return x != 0 ? C{1} : C{0};
    } else {
      return x > 0 ? C{1} : (x < 0 ? C{-1} : x);
    }
  }
};

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

struct Relu : Straight<Relu> {
  template <class C>
  LOCI_INLINE static void apply(C& x) {
    x = x < C{} ? C{} : x;
  }
};

struct HardSigmoid : Straight<HardSigmoid> {
  static constexpr std::int64_t kPicoseconds = 160;
  template <class C>
  LOCI_INLINE static void apply(C& x) {
    using Scalar = scalar_t<C>;
    const C risen = x + Scalar{3};
    const C above = risen < C{} ? C{} : risen;
    x = (above > Scalar{6} ? C{} + Scalar{6} : above) * static_cast<Scalar>(1.0 / 6);
  }
};

struct HardSwish : Straight<HardSwish> {
  static constexpr std::int64_t kPicoseconds = 200;
  template <class C>
  LOCI_INLINE static void apply(C& x) {
    using Scalar = scalar_t<C>;
    const C near = x < Scalar{-3} ? C{} - Scalar{3} : x;  // infinity must not meet 0
    x = near;
    HardSigmoid::apply(x);
    x *= near;
  }
};

// x tanh(log(1 + e^x)) = x w / (w + 2), where w = e^x (e^x + 2), which keeps the digits of small
// results. From 20 on the quotient is 1.
struct Mish {
  static constexpr std::int64_t kPicoseconds = 1100;
  template <class C>
  LOCI_INLINE static C value(C x) {
    const C near = simd::not_below(C{-800}, x);  // infinity must not meet 0
    const C e = simd::exp(simd::not_above(C{20}, near));
    const C w = e * (e + 2);
    return near * (w / (w + 2));
  }
};

template <class F>
inline constexpr bool is_straight = requires {
  F::kIsStraight;
};

// The cost of an element of a C.
template <class F, class C>
constexpr std::int64_t picoseconds() {
  if constexpr (sizeof(C) == sizeof(double) && requires { F::kDoublePicoseconds; }) {
    return F::kDoublePicoseconds;
  } else if constexpr (requires { F::kPicoseconds; }) {
    return F::kPicoseconds * (sizeof(C) == sizeof(double) ? 3 : 1);
  } else {
    return 40 * sizeof(C);
  }
}

}  // namespace loci::kernels
