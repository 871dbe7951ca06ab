// The largest element of a vector, and powers of what others are less.
#pragma once

#include "kernels/device/axis_vectors.cuh"
#include "kernels/device/device_functions.cuh"
#include "kernels/device/limits.cuh"
#include "kernels/device/sum_type.cuh"

namespace loci::cuda {

// In which powers are computed: of halves in one instruction, which gives 0 for what is less than
// 2^-126, so that a large unit keeps all that a half may hold.
template <class T>
inline constexpr computed_t<T> kPowerUnit = kIsHalf<T> ? 0x1p64 : 1;

// exp(x) kPowerUnit. That of halves has the digits of a half and some more.
template <class T>
__device__ computed_t<T> power(computed_t<T> x) {
  if constexpr (kIsHalf<T>) {
    constexpr float kLog2E = 1.44269504F;
    return power_of_two(fmaf(x, kLog2E, 64));
  } else {
    return exponential(x);
  }
}

// Returns the largest element of array 0. NaN is passed over.
template <class T, class Elements>
__device__ computed_t<T> largest_of(const Elements& elements) {
  using C = computed_t<T>;
  return elements.template folded<Larger>(
      kLowest<C>, [](C largest, const auto& x) { return Larger::apply(x.of[0], largest); });
}

// Returns the sum of exp(x), from power_of(value) in its unit. NaN shows up in it.
template <class T, class Elements, class PowerOf>
__device__ sum_t<T> sum_of(const Elements& elements, const PowerOf& power_of) {
  using Sum = sum_t<T>;
  constexpr Sum kPart = Sum{1} / kPowerUnit<T>;
  return kPart * elements.template folded<Plus>(Sum{0}, [&](Sum sum, const auto& value) {
    return sum + static_cast<Sum>(power_of(value));
  });
}
template <class T, class Powers>
__device__ sum_t<T> sum_of(const Powers& powers) {
  return sum_of<T>(powers, [](computed_t<T> power) { return power; });
}

// Times a power in its unit: its share of the sum.
template <class T>
__device__ computed_t<T> share_of(sum_t<T> sum) {
  using C = computed_t<T>;
  return C{1} / static_cast<C>(sum) * (C{1} / kPowerUnit<T>);
}

}  // namespace loci::cuda
