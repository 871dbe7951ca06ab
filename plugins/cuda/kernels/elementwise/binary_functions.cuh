// Functions of two elements, which are float, double or integers. Semantics are those of the
// portable kernels: integers wrap, and NaN in either is what max and min are.
#pragma once

#include <type_traits>

namespace loci::cuda {

// Gives the type in which integers wrap: narrow ones get one that is not promoted to int.
template <class C>
__device__ auto wrapping(C x) {
  if constexpr (std::is_integral_v<C>) {
    return static_cast<std::common_type_t<std::make_unsigned_t<C>, unsigned>>(x);
  } else {
    return x;
  }
}

struct Add {
  template <class C>
  static __device__ C value(C x, C y) {
    return static_cast<C>(wrapping(x) + wrapping(y));
  }
};

struct Sub {
  template <class C>
  static __device__ C value(C x, C y) {
    return static_cast<C>(wrapping(x) - wrapping(y));
  }
};

struct Mul {
  template <class C>
  static __device__ C value(C x, C y) {
    return static_cast<C>(wrapping(x) * wrapping(y));
  }
};

// An integer divided by zero is zero, and the lowest integer divided by -1 wraps.
struct Div {
  template <class C>
  static __device__ C value(C x, C y) {
    if constexpr (std::is_integral_v<C>) {
      if (y == 0) return 0;
      if constexpr (std::is_signed_v<C>) {
        if (y == -1) return Sub::value<C>(0, x);
      }
    }
    return static_cast<C>(x / y);
  }
};

struct SquareError {
  template <class C>
  static __device__ C value(C x, C y) {
    const C difference = x - y;
    return difference * difference;
  }
};

struct Max {
  template <class C>
  static __device__ C value(C x, C y) {
    return x > y || x != x ? x : y;
  }
};

struct Min {
  template <class C>
  static __device__ C value(C x, C y) {
    return x < y || x != x ? x : y;
  }
};

}  // namespace loci::cuda
