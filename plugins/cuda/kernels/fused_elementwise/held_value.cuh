// The types in which a chain's values are held, and their bits in 8 bytes.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/device/convert.cuh"

namespace loci::cuda {

using Slot = std::uint64_t;

// The type of a value of T in a slot.
template <class T>
using held_t =
    std::conditional_t<kIsFloat<T>, computed_t<T>,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

template <class C>
__device__ C held(Slot slot) {
  if constexpr (std::is_same_v<C, float>) {
    return __uint_as_float(static_cast<std::uint32_t>(slot));
  } else if constexpr (std::is_same_v<C, double>) {
    return __longlong_as_double(static_cast<long long>(slot));
  } else {
    return static_cast<C>(slot);
  }
}

template <class C>
__device__ Slot slot_of(C value) {
  if constexpr (std::is_same_v<C, float>) {
    return __float_as_uint(value);
  } else if constexpr (std::is_same_v<C, double>) {
    return static_cast<Slot>(__double_as_longlong(value));
  } else {
    return static_cast<Slot>(value);
  }
}

// A value as T has it: rounded, wrapped, or converted. NaN is one still, but not of known bits.
template <class T, class C>
__device__ held_t<T> rounded(C value) {
  if constexpr (kIsHalf<T> && std::is_same_v<C, float>) {
    return Element<T>::round(value);
  } else {
    return static_cast<held_t<T>>(Element<T>::widen(convert<T>(value)));
  }
}

// Rounds the result of a cast, whose NaN has the bits that it has by itself.
template <class T, class C>
__device__ held_t<T> cast_to(C value) {
  if constexpr (kIsFloat<T> && std::is_floating_point_v<C>) {
    if (value != value) return Element<T>::widen(nan_like<T>(value));
  }
  return rounded<T>(value);
}

}  // namespace loci::cuda
