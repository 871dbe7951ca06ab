// Registers of mma hold elements of A and B, and sums, all of which a double holds exactly.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "tools/cuda_double/ptx/run/half.h"
#include "tools/cuda_double/ptx/scalar_type.h"

namespace loci::cuda_double {

// The elements that a register of four bytes holds.
template <class T>
struct Elements {
  static constexpr std::uint32_t kCount = 2;
  static double at(std::uint32_t bits, std::uint32_t which) {
    return to_float(T{static_cast<std::uint16_t>(bits >> (16 * which))});
  }
};
struct Tf32 {};
// A device ignores the low bits that the format has not.
template <>
struct Elements<Tf32> {
  static constexpr std::uint32_t kCount = 1;
  static double at(std::uint32_t bits, std::uint32_t /*which*/) {
    return std::bit_cast<float>(bits & 0xffffe000U);
  }
};
template <class T>
struct ByteElements {
  static constexpr std::uint32_t kCount = 4;
  static double at(std::uint32_t bits, std::uint32_t which) {
    return static_cast<T>(static_cast<std::uint8_t>(bits >> (8 * which)));
  }
};
template <>
struct Elements<std::int8_t> : ByteElements<std::int8_t> {};
template <>
struct Elements<std::uint8_t> : ByteElements<std::uint8_t> {};

// C and D: so many elements of a lane lie in a register, as this type.
struct FloatSums {
  static constexpr std::uint32_t kPerRegister = 1;
  static constexpr ScalarType kType = ScalarType::kF32;
  static double at(std::uint32_t bits, std::uint32_t /*which*/) {
    return std::bit_cast<float>(bits);
  }
  static std::uint32_t bits(double sum) {
    return std::bit_cast<std::uint32_t>(canonical(static_cast<float>(sum)));
  }
};
struct HalfSums {
  static constexpr std::uint32_t kPerRegister = 2;
  static constexpr ScalarType kType = ScalarType::kB32;
  static double at(std::uint32_t bits, std::uint32_t which) {
    return Elements<Half>::at(bits, which);
  }
  static std::uint32_t bits(double sum) { return round_to<Half>(sum).bits; }
};
template <bool kSaturates>
struct IntegerSums {
  static constexpr std::uint32_t kPerRegister = 1;
  static constexpr ScalarType kType = ScalarType::kS32;
  static double at(std::uint32_t bits, std::uint32_t /*which*/) {
    return static_cast<std::int32_t>(bits);
  }
  static std::uint32_t bits(double sum) {
    using Limits = std::numeric_limits<std::int32_t>;
    if (kSaturates) sum = std::clamp<double>(sum, Limits::min(), Limits::max());
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(sum));
  }
};

}  // namespace loci::cuda_double
