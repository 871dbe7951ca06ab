// Elements of tensors by dtype, with the two 16-bit formats that C++ has no type for.
#pragma once

#include <loci/abi/half.h>

#include <cstdint>
#include <loci/dtype.hpp>
#include <loci/error.hpp>
#include <string>
#include <type_traits>

namespace loci::runner {

struct Float16 {
  std::uint16_t bits = 0;
};
struct BFloat16 {
  std::uint16_t bits = 0;
};

inline float to_float(Float16 value) { return loci_f16_to_f32(value.bits); }
inline float to_float(BFloat16 value) { return loci_bf16_to_f32(value.bits); }

template <class T>
inline constexpr bool is_half = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;
template <class T>
inline constexpr bool is_float_element = std::is_floating_point_v<T> || is_half<T>;

// The element nearest to `value`, for T of a floating dtype.
template <class T>
T float_element(double value) {
  if constexpr (std::is_same_v<T, Float16>) {
    return Float16{loci_f32_to_f16(static_cast<float>(value))};
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return BFloat16{loci_f32_to_bf16(static_cast<float>(value))};
  } else {
    return static_cast<T>(value);
  }
}

// The value of an element of a floating dtype.
template <class T>
double float_value(T element) {
  if constexpr (is_half<T>) {
    return to_float(element);
  } else {
    return element;
  }
}

// Calls `visitor` with a zero element of the dtype.
template <class Visitor>
decltype(auto) visit_dtype(DType dtype, Visitor&& visitor) {
  switch (dtype) {
    case DType::kBool: return visitor(bool{});
    case DType::kInt8: return visitor(std::int8_t{});
    case DType::kInt16: return visitor(std::int16_t{});
    case DType::kInt32: return visitor(std::int32_t{});
    case DType::kInt64: return visitor(std::int64_t{});
    case DType::kUInt8: return visitor(std::uint8_t{});
    case DType::kUInt16: return visitor(std::uint16_t{});
    case DType::kUInt32: return visitor(std::uint32_t{});
    case DType::kUInt64: return visitor(std::uint64_t{});
    case DType::kFloat16: return visitor(Float16{});
    case DType::kBFloat16: return visitor(BFloat16{});
    case DType::kFloat32: return visitor(float{});
    case DType::kFloat64: return visitor(double{});
    case DType::kNone: break;
  }
  throw Error(ErrorCode::kInternal, "[loci] a tensor without a dtype");
}

}  // namespace loci::runner
