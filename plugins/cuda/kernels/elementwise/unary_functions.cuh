// Functions of one element, which is float, double or an integer. Semantics are those of the
// portable kernels: NaN passes, and integers wrap.
#pragma once

#include <cmath>
#include <type_traits>

#include "kernels/device/device_functions.cuh"
#include "kernels/elementwise/binary_functions.cuh"
#include "kernels/elementwise/library_functions.cuh"
#include "kernels/elementwise/normal_tail.cuh"

namespace loci::cuda {

struct Exp {
  template <class C>
  static __device__ C value(C x) {
    return exponential(x);
  }
};

struct Log {
  template <class C>
  static __device__ C value(C x) {
    return log(x);
  }
};

struct Sqrt {
  template <class C>
  static __device__ C value(C x) {
    return sqrt(x);
  }
};

struct Rsqrt {
  template <class C>
  static __device__ C value(C x) {
    return rsqrt(x);
  }
};

struct Floor {
  template <class C>
  static __device__ C value(C x) {
    return floor(x);
  }
};

struct Ceil {
  template <class C>
  static __device__ C value(C x) {
    return ceil(x);
  }
};

struct Reciprocal {
  template <class C>
  static __device__ C value(C x) {
    return 1 / x;
  }
};

// From 1e18 on the quotient is 1, also of float64; infinity must not be divided by itself.
struct Softsign {
  template <class C>
  static __device__ C value(C x) {
    const C magnitude = fabs(x);
    const C near = magnitude > C{1e18} ? C{1e18} : magnitude;  // NaN passes
    return copysign(near / (1 + near), x);
  }
};

// Halves to even.
struct Round {
  template <class C>
  static __device__ C value(C x) {
    return rint(x);
  }
};

struct Abs {
  template <class C>
  static __device__ C value(C x) {
    if constexpr (std::is_floating_point_v<C>) {
      return fabs(x);
    } else if constexpr (std::is_unsigned_v<C>) {
      return x;
    } else {
      return x < 0 ? Sub::value<C>(0, x) : x;
    }
  }
};

struct Square {
  template <class C>
  static __device__ C value(C x) {
    return Mul::value(x, x);
  }
};

// Zeros and NaN give the value itself.
struct Sign {
  template <class C>
  static __device__ C value(C x) {
    if constexpr (std::is_unsigned_v<C>) {
      return x != 0 ? C{1} : C{0};
    } else {
      return x > 0 ? C{1} : (x < 0 ? static_cast<C>(-1) : x);
    }
  }
};

struct Relu {
  template <class C>
  static __device__ C value(C x) {
    if constexpr (std::is_unsigned_v<C>) {
      return x;
    } else {
      return x < 0 ? C{0} : x;
    }
  }
};

struct Erf {
  template <class C>
  static __device__ C value(C x) {
    return erf(x);
  }
};

// For negative x as e^x / (1 + e^x), so that small results keep their digits.
struct Sigmoid {
  template <class C>
  static __device__ C value(C x) {
    const C e = exponential(-fabs(x));
    const C above = x < 0 ? e : C{1};
    if constexpr (std::is_same_v<C, float>) {
      return above * reciprocal(1 + e);
    } else {
      return above / (1 + e);
    }
  }
};

struct Tanh {
  template <class C>
  static __device__ C value(C x) {
    return tanh(x);
  }
};

// Where both factors of gelu have long been at their limits; infinity must not meet 0.
template <class C>
__device__ C not_far_below(C x) {
  return x < -100 ? C{-100} : x;
}

// x P(X <= x), of float32 as max(x, 0) - |x| P(X > |x|): the tail keeps its digits on both sides.
struct Gelu {
  template <class C>
  static __device__ C value(C x) {
    if constexpr (std::is_same_v<C, float>) {
      const float a = distance(x);
      return __fmaf_rn(-a, normal_tail(a).tail, fmaxf(x, 0));
    } else {
      return not_far_below(x) * normcdf(x);
    }
  }
};

// (1 + tanh(u)) / 2 = sigmoid(2 u), which keeps the digits of small results.
struct GeluTanh {
  static constexpr double kTwice = 1.5957691216057307;  // 2 sqrt(2 / pi)
  static constexpr double kCubic = 0.044715;

  template <class C>
  static __device__ C value(C x) {
    const C near = not_far_below(x);
    const C slope = static_cast<C>(kTwice) + static_cast<C>(kTwice * kCubic) * (near * near);
    return near * Sigmoid::value(near * slope);
  }
};

struct HardSigmoid {
  template <class C>
  static __device__ C value(C x) {
    const C risen = x + 3;
    const C above = risen < 0 ? C{0} : risen;  // NaN passes
    return (above > 6 ? C{6} : above) * static_cast<C>(1.0 / 6);
  }
};

struct HardSwish {
  template <class C>
  static __device__ C value(C x) {
    const C near = x < -3 ? C{-3} : x;  // infinity must not meet 0
    return near * HardSigmoid::value(near);
  }
};

// x tanh(log(1 + e^x)) = x w / (w + 2), where w = e^x (e^x + 2), which keeps the digits of small
// results. From 20 on the quotient is 1.
struct Mish {
  template <class C>
  static __device__ C value(C x) {
    const C near = x < -800 ? C{-800} : x;  // infinity must not meet 0
    const C e = exponential(near > 20 ? C{20} : near);
    const C w = e * (e + 2);
    return near * (w / (w + 2));
  }
};

// x / (1 + e^-x); for negative x as x e^x / (1 + e^x), so that small results keep their digits. e^x
// in two equal factors is no subnormal number where the result is none.
struct Silu {
  template <class C>
  static __device__ C value(C x) {
    constexpr C kFar = std::is_same_v<C, float> ? 80 : 700;
    if (x < -kFar) {
      const C near = x < -800 ? C{-800} : x;  // infinity must not meet 0
      const C root = exponential(near * C{0.5});
      return near * root * root;
    }
    const C e = exponential(-fabs(x));
    return x < 0 ? x * (e / (1 + e)) : x / (1 + e);
  }
};

// log(1 + e^x) = max(x, 0) + log(1 + e^-|x|), in which nothing cancels. NaN passes.
struct Softplus {
  template <class C>
  static __device__ C value(C x) {
    return (x < 0 ? C{0} : x) + log1p(exponential(-fabs(x)));
  }
};

}  // namespace loci::cuda
