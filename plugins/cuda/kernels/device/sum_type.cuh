// The type that elements are summed in.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/device/elements.cuh"

namespace loci::cuda {

template <class T>
inline constexpr bool kIsHalf = !std::is_same_v<computed_t<T>, T>;

// Halves in float32, other floats in double, and integers wrap.
template <class T>
using sum_t = std::conditional_t<std::is_integral_v<T>, std::uint64_t,
                                 std::conditional_t<kIsHalf<T>, float, double>>;

}  // namespace loci::cuda
