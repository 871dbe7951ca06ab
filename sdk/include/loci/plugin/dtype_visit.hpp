// From a dtype code to a C++ type.
#pragma once

#include <loci/abi/base.h>
#include <loci/abi/half.h>

#include <cstdint>
#include <cstring>
#include <loci/plugin/error.hpp>
#include <string>
#include <type_traits>
#include <utility>

namespace loci::sdk {

namespace detail {

// The float nearest to `value` towards zero, its last bit set if that lost anything. Rounding it
// again to a shorter format gives what rounding `value` once would.
inline float round_to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || value != value) return nearest;
  std::uint32_t bits = loci_f32_to_bits(nearest);
  const double magnitude = value < 0 ? -value : value;
  const double rounded = static_cast<double>(nearest < 0 ? -nearest : nearest);
  if (rounded > magnitude) --bits;
  return loci_f32_from_bits(bits | 1U);
}

}  // namespace detail

// IEEE binary16 and bfloat16 as element types: compute in float, which they convert to; conversion
// back rounds once, to nearest even.
struct f16 {
  std::uint16_t bits;

  f16() = default;
  explicit f16(float value) : bits(loci_f32_to_f16(value)) {}
  explicit f16(double value) : bits(loci_f32_to_f16(detail::round_to_odd(value))) {}
  operator float() const { return loci_f16_to_f32(bits); }  // NOLINT(google-explicit-constructor)
};

struct bf16 {
  std::uint16_t bits;

  bf16() = default;
  explicit bf16(float value) : bits(loci_f32_to_bf16(value)) {}
  explicit bf16(double value) : bits(loci_f32_to_bf16(detail::round_to_odd(value))) {}
  operator float() const { return loci_bf16_to_f32(bits); }  // NOLINT(google-explicit-constructor)
};

template <class T>
inline constexpr bool is_half = std::is_same_v<T, f16> || std::is_same_v<T, bf16>;
template <class T>
inline constexpr bool is_float = is_half<T> || std::is_floating_point_v<T>;

// The type that elements of T are computed in: float for the 16-bit formats, else T.
template <class T>
using compute_t = std::conditional_t<is_half<T>, float, T>;

// dtypes a kernel takes, for KernelDef.
inline constexpr std::uint64_t kFloatBits =
    LOCI_DTYPE_BIT(LOCI_DTYPE_F16) | LOCI_DTYPE_BIT(LOCI_DTYPE_BF16) |
    LOCI_DTYPE_BIT(LOCI_DTYPE_F32) | LOCI_DTYPE_BIT(LOCI_DTYPE_F64);
inline constexpr std::uint64_t kIntegerBits =
    LOCI_DTYPE_BIT(LOCI_DTYPE_I8) | LOCI_DTYPE_BIT(LOCI_DTYPE_I16) |
    LOCI_DTYPE_BIT(LOCI_DTYPE_I32) | LOCI_DTYPE_BIT(LOCI_DTYPE_I64) |
    LOCI_DTYPE_BIT(LOCI_DTYPE_U8) | LOCI_DTYPE_BIT(LOCI_DTYPE_U16) |
    LOCI_DTYPE_BIT(LOCI_DTYPE_U32) | LOCI_DTYPE_BIT(LOCI_DTYPE_U64);
inline constexpr std::uint64_t kNumberBits = kFloatBits | kIntegerBits;
inline constexpr std::uint64_t kAllBits = kNumberBits | LOCI_DTYPE_BIT(LOCI_DTYPE_BOOL);

// Stands for a type: [&](auto tag) { using T = typename decltype(tag)::type; ... }.
template <class T>
struct Tag {
  using type = T;
};

// Bytes of one element; 0 for a code without kernels.
inline std::uint64_t dtype_bytes(loci_dtype dtype) {
  switch (dtype) {
    case LOCI_DTYPE_BOOL:
    case LOCI_DTYPE_I8:
    case LOCI_DTYPE_U8: return 1;
    case LOCI_DTYPE_I16:
    case LOCI_DTYPE_U16:
    case LOCI_DTYPE_F16:
    case LOCI_DTYPE_BF16: return 2;
    case LOCI_DTYPE_I32:
    case LOCI_DTYPE_U32:
    case LOCI_DTYPE_F32: return 4;
    case LOCI_DTYPE_I64:
    case LOCI_DTYPE_U64:
    case LOCI_DTYPE_F64: return 8;
    default: return 0;
  }
}

[[noreturn]] inline void fail_dtype(loci_dtype dtype) {
  throw Error(LOCI_CODE_UNSUPPORTED, "no implementation for dtype code " + std::to_string(dtype));
}

// Each calls visitor(Tag<T>()) with the element type of `dtype`, and throws
// Error(LOCI_CODE_UNSUPPORTED) if it is none of the named kind. All branches return one type.
template <class Visitor>
decltype(auto) visit_floats(loci_dtype dtype, Visitor&& visitor) {
  switch (dtype) {
    case LOCI_DTYPE_F16: return visitor(Tag<f16>());
    case LOCI_DTYPE_BF16: return visitor(Tag<bf16>());
    case LOCI_DTYPE_F32: return visitor(Tag<float>());
    case LOCI_DTYPE_F64: return visitor(Tag<double>());
    default: fail_dtype(dtype);
  }
}

template <class Visitor>
decltype(auto) visit_integers(loci_dtype dtype, Visitor&& visitor) {
  switch (dtype) {
    case LOCI_DTYPE_I8: return visitor(Tag<std::int8_t>());
    case LOCI_DTYPE_I16: return visitor(Tag<std::int16_t>());
    case LOCI_DTYPE_I32: return visitor(Tag<std::int32_t>());
    case LOCI_DTYPE_I64: return visitor(Tag<std::int64_t>());
    case LOCI_DTYPE_U8: return visitor(Tag<std::uint8_t>());
    case LOCI_DTYPE_U16: return visitor(Tag<std::uint16_t>());
    case LOCI_DTYPE_U32: return visitor(Tag<std::uint32_t>());
    case LOCI_DTYPE_U64: return visitor(Tag<std::uint64_t>());
    default: fail_dtype(dtype);
  }
}

template <class Visitor>
decltype(auto) visit_numbers(loci_dtype dtype, Visitor&& visitor) {
  if ((kFloatBits & LOCI_DTYPE_BIT(dtype)) != 0) {
    return visit_floats(dtype, std::forward<Visitor>(visitor));
  }
  return visit_integers(dtype, std::forward<Visitor>(visitor));
}

// Numbers and bool.
template <class Visitor>
decltype(auto) visit_all(loci_dtype dtype, Visitor&& visitor) {
  if (dtype == LOCI_DTYPE_BOOL) return visitor(Tag<bool>());
  return visit_numbers(dtype, std::forward<Visitor>(visitor));
}

// int32 and int64: labels and indices.
template <class Visitor>
decltype(auto) visit_indices(loci_dtype dtype, Visitor&& visitor) {
  switch (dtype) {
    case LOCI_DTYPE_I32: return visitor(Tag<std::int32_t>());
    case LOCI_DTYPE_I64: return visitor(Tag<std::int64_t>());
    default: fail_dtype(dtype);
  }
}

}  // namespace loci::sdk
