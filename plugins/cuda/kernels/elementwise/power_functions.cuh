// Powers and remainders of two elements. Semantics are those of the portable kernels.
#pragma once

#include <cmath>
#include <type_traits>

#include "kernels/elementwise/binary_functions.cuh"

namespace loci::cuda {

// x^-n of integers: 1 / x^n truncated.
template <class C>
__device__ C inverse_power(C x, bool is_odd) {
  if (x == 1) return 1;
  if (x == static_cast<C>(-1)) return is_odd ? x : C{1};
  return 0;
}

struct Pow {
  static constexpr bool kOneByOne = true;

  template <class C>
  static __device__ C value(C x, C y) {
    if constexpr (std::is_integral_v<C>) {
      if constexpr (std::is_signed_v<C>) {
        if (y < 0) return inverse_power(x, (y & 1) != 0);
      }
      auto result = wrapping(C{1});
      auto square = wrapping(x);
      for (auto rest = wrapping(y); rest != 0; rest >>= 1, square *= square) {
        if ((rest & 1) != 0) result *= square;
      }
      return static_cast<C>(result);
    } else {
      return pow(x, y);
    }
  }
};

// The remainder with the sign of the divisor. fmod is exact; adding y to a remainder of the other
// sign rounds once. An integer's by zero is zero.
struct Mod {
  static constexpr bool kOneByOne = true;

  template <class C>
  static __device__ C value(C x, C y) {
    if constexpr (std::is_integral_v<C>) {
      if (y == 0) return 0;
      if constexpr (std::is_signed_v<C>) {
        if (y == -1) return 0;  // what the division for the lowest integer gives is not defined
        const C rest = static_cast<C>(x % y);
        return rest != 0 && (rest < 0) != (y < 0) ? static_cast<C>(rest + y) : rest;
      } else {
        return static_cast<C>(x % y);
      }
    } else {
      const C rest = fmod(x, y);
      if (rest == 0) return copysign(rest, y);
      return (rest < 0) != (y < 0) ? rest + y : rest;
    }
  }
};

}  // namespace loci::cuda
