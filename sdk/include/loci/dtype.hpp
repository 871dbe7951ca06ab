// Element types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <loci/export.hpp>
#include <string_view>

namespace loci {
inline namespace v0 {

// The codes equal LOCI_DTYPE_* of the C ABI.
enum class DType : std::int32_t {
  kNone = 0,  // no value: an absent optional argument
  kBool = 1,
  kInt8 = 2,
  kInt16 = 3,
  kInt32 = 4,
  kInt64 = 5,
  kUInt8 = 6,
  kUInt16 = 7,
  kUInt32 = 8,
  kUInt64 = 9,
  kFloat16 = 10,
  kBFloat16 = 11,
  kFloat32 = 12,
  kFloat64 = 13,
};

inline constexpr DType kBool = DType::kBool;
inline constexpr DType kInt8 = DType::kInt8;
inline constexpr DType kInt16 = DType::kInt16;
inline constexpr DType kInt32 = DType::kInt32;
inline constexpr DType kInt64 = DType::kInt64;
inline constexpr DType kUInt8 = DType::kUInt8;
inline constexpr DType kUInt16 = DType::kUInt16;
inline constexpr DType kUInt32 = DType::kUInt32;
inline constexpr DType kUInt64 = DType::kUInt64;
inline constexpr DType kFloat16 = DType::kFloat16;
inline constexpr DType kBFloat16 = DType::kBFloat16;
inline constexpr DType kFloat32 = DType::kFloat32;
inline constexpr DType kFloat64 = DType::kFloat64;

// "float32", "int64", "bool", ...; "none".
LOCI_PUBLIC std::string_view dtype_name(DType dtype);
// The inverse; throws Error(kInvalidArgument) that lists the known names.
LOCI_PUBLIC DType parse_dtype(std::string_view name);
// Bytes of one element; 0 for kNone.
LOCI_PUBLIC std::size_t dtype_size(DType dtype);
// float16, bfloat16, float32 or float64.
LOCI_PUBLIC bool is_floating(DType dtype);
// Signed or unsigned integers; not bool.
LOCI_PUBLIC bool is_integer(DType dtype);
// The number, for an operator that gives it the dtype of the other side. Throws
// Error(kInvalidArgument) for one that an integer dtype would cut, or does not have.
LOCI_PUBLIC double number_in(DType dtype, const char* op, double number);

// The DType of a C++ type: dtype_of<float> is kFloat32. float16 and bfloat16 have no C++ type.
template <class T>
inline constexpr DType dtype_of = DType::kNone;
template <>
inline constexpr DType dtype_of<bool> = DType::kBool;
template <>
inline constexpr DType dtype_of<std::int8_t> = DType::kInt8;
template <>
inline constexpr DType dtype_of<std::int16_t> = DType::kInt16;
template <>
inline constexpr DType dtype_of<std::int32_t> = DType::kInt32;
template <>
inline constexpr DType dtype_of<std::int64_t> = DType::kInt64;
template <>
inline constexpr DType dtype_of<std::uint8_t> = DType::kUInt8;
template <>
inline constexpr DType dtype_of<std::uint16_t> = DType::kUInt16;
template <>
inline constexpr DType dtype_of<std::uint32_t> = DType::kUInt32;
template <>
inline constexpr DType dtype_of<std::uint64_t> = DType::kUInt64;
template <>
inline constexpr DType dtype_of<float> = DType::kFloat32;
template <>
inline constexpr DType dtype_of<double> = DType::kFloat64;

}  // namespace v0
}  // namespace loci
