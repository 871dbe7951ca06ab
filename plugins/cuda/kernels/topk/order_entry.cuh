// Elements with their positions, as entries whose order is that of the elements.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/device/elements.cuh"

namespace loci::cuda {

template <int bytes>
struct BitsOf;
template <>
struct BitsOf<1> {
  using type = std::uint8_t;
};
template <>
struct BitsOf<2> {
  using type = std::uint16_t;
};
template <>
struct BitsOf<4> {
  using type = std::uint32_t;
};
template <>
struct BitsOf<8> {
  using type = std::uint64_t;
};
template <class T>
using order_bits_t = typename BitsOf<sizeof(T)>::type;

// The digits of a floating type behind its exponent; 0 for integers.
template <class T>
inline constexpr int kFractionDigits = std::is_same_v<T, __half>          ? 10
                                       : std::is_same_v<T, __nv_bfloat16> ? 7
                                       : std::is_same_v<T, float>         ? 23
                                       : std::is_same_v<T, double>        ? 52
                                                                          : 0;

template <class T>
inline constexpr bool kIsFloating = kFractionDigits<T> != 0;

// Larger for a larger element, equal for equal ones, zeros of both signs too; NaN has the largest.
template <class T>
__device__ order_bits_t<T> order_bits(T value) {
  using Bits = order_bits_t<T>;
  constexpr auto kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(T) - 1));
  Bits bits;
  std::memcpy(&bits, &value, sizeof bits);
  if constexpr (kIsFloating<T>) {
    constexpr int kExponent = static_cast<int>(8 * sizeof(T)) - 1 - kFractionDigits<T>;
    constexpr auto kInfinity =
        static_cast<Bits>(((std::uint64_t{1} << kExponent) - 1) << kFractionDigits<T>);
    const auto magnitude = static_cast<Bits>(bits & static_cast<Bits>(~kSign));
    if (magnitude > kInfinity) return static_cast<Bits>(~Bits{0});
    if (magnitude == 0) return kSign;
    return static_cast<Bits>((bits & kSign) != 0 ? ~bits : bits | kSign);
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<Bits>(bits ^ kSign);
  } else {
    return bits;
  }
}

// The bits above, the position below: no two are equal.
struct ShortEntry {
  std::uint64_t joined;
  __device__ static ShortEntry none() { return {~std::uint64_t{0}}; }
  __device__ static ShortEntry of(std::uint64_t key, std::int64_t index) {
    return {key << 32 | static_cast<std::uint64_t>(index)};
  }
  __device__ std::int64_t index() const { return static_cast<std::int64_t>(joined & 0xFFFFFFFFU); }
  __device__ bool operator<(const ShortEntry& other) const { return joined < other.joined; }
};

struct WideEntry {
  std::uint64_t key;
  std::uint64_t at;
  __device__ static WideEntry none() { return {~std::uint64_t{0}, ~std::uint64_t{0}}; }
  __device__ static WideEntry of(std::uint64_t key, std::int64_t index) {
    return {key, static_cast<std::uint64_t>(index)};
  }
  __device__ std::int64_t index() const { return static_cast<std::int64_t>(at); }
  __device__ bool operator<(const WideEntry& other) const {
    return key != other.key ? key < other.key : at < other.at;
  }
};

template <class T>
using entry_t = std::conditional_t<sizeof(T) == 8, WideEntry, ShortEntry>;

// Comes first what is largest, or smallest.
template <class T>
__device__ entry_t<T> entry_of(T value, std::int64_t index, bool is_largest) {
  const order_bits_t<T> bits = order_bits(value);
  const auto key = static_cast<order_bits_t<T>>(is_largest ? ~bits : bits);
  return entry_t<T>::of(key, index);
}

}  // namespace loci::cuda
