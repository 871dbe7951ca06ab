// Elements as unsigned integers in the same order.
#pragma once

#include <cstdint>
#include <cstring>
#include <loci/plugin/dtype_visit.hpp>
#include <type_traits>

#include "plugins/kernels/isa.h"

namespace loci::kernels {

template <int bytes>
struct UnsignedOf;
template <>
struct UnsignedOf<1> {
  using type = std::uint8_t;
};
template <>
struct UnsignedOf<2> {
  using type = std::uint16_t;
};
template <>
struct UnsignedOf<4> {
  using type = std::uint32_t;
};
template <>
struct UnsignedOf<8> {
  using type = std::uint64_t;
};
template <class T>
using order_bits_t = typename UnsignedOf<sizeof(T)>::type;

// The bits of infinity: those of NaN are beyond it.
template <class T>
constexpr order_bits_t<T> infinity_bits() {
  constexpr int kDigits = std::is_same_v<T, sdk::f16>    ? 10
                          : std::is_same_v<T, sdk::bf16> ? 7
                          : sizeof(T) == 4               ? 23
                                                         : 52;
  constexpr int kExponent = static_cast<int>(8 * sizeof(T)) - 1 - kDigits;
  return static_cast<order_bits_t<T>>(((std::uint64_t{1} << kExponent) - 1) << kDigits);
}

// A larger element has larger bits, equal ones have equal bits, zeros of both signs too, and those
// of NaN are the largest.
template <class T>
LOCI_INLINE inline order_bits_t<T> order_bits(T value) {
  using Bits = order_bits_t<T>;
  constexpr auto kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(T) - 1));
  Bits bits;
  std::memcpy(&bits, &value, sizeof bits);
  if constexpr (sdk::is_float<T>) {
    const auto magnitude = static_cast<Bits>(bits & static_cast<Bits>(~kSign));
    bits = magnitude == 0 ? Bits{0} : bits;
    const bool is_negative = (bits & kSign) != 0;
    const auto placed = static_cast<Bits>(is_negative ? ~bits : bits | kSign);
    return magnitude > infinity_bits<T>() ? static_cast<Bits>(~Bits{0}) : placed;
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<Bits>(bits ^ kSign);
  } else {
    return bits;
  }
}

}  // namespace loci::kernels
