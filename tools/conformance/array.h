// Values on the side of the reference.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <loci/dtype.hpp>
#include <loci/shape.hpp>
#include <loci/tensor.hpp>
#include <string>
#include <vector>

namespace loci::conformance {

// Holds every element of every dtype exactly, 64-bit integers too, and its own rounding errors are
// far below those of float64 (x86-64: 64 bits of significand).
using Real = long double;
using Index = std::vector<std::int64_t>;

inline constexpr std::array kFloatTypes{kFloat16, kBFloat16, kFloat32, kFloat64};
inline constexpr std::array kIntegerTypes{kInt8,  kInt16,  kInt32,  kInt64,
                                          kUInt8, kUInt16, kUInt32, kUInt64};
inline constexpr std::array kIndexTypes{kInt32, kInt64};
inline constexpr std::array kAllTypes{kBool,     kInt8,    kInt16,  kInt32,  kInt64,
                                      kUInt8,    kUInt16,  kUInt32, kUInt64, kFloat16,
                                      kBFloat16, kFloat32, kFloat64};

// Elements in C order. bool is 0 or 1. Elements need not be values of the dtype: those that a
// reference computes are not rounded.
struct Array {
  DType dtype = kFloat32;
  Shape shape;
  std::vector<Real> values;

  Array() = default;
  Array(DType element, const Shape& extents)
      : dtype(element), shape(extents), values(static_cast<std::size_t>(extents.numel())) {}
  Array(DType element, const Shape& extents, std::vector<Real> elements)
      : dtype(element), shape(extents), values(std::move(elements)) {}

  [[nodiscard]] std::size_t size() const { return values.size(); }
  // The extent of an axis; a negative one counts from the end.
  [[nodiscard]] std::int64_t extent(int axis) const {
    return shape[axis < 0 ? axis + shape.rank() : axis];
  }
  [[nodiscard]] Real at(const Index& index) const { return values[offset(index)]; }
  [[nodiscard]] std::size_t offset(const Index& index) const;
};

// The index of the element at `offset` in C order.
Index index_of(const Shape& shape, std::size_t offset);

// The range and the precision that a dtype has.
struct Precision {
  int digits;        // bits of the significand
  int min_exponent;  // 2^min_exponent is the smallest normal value
  int max_exponent;  // below 2^(max_exponent + 1)

  // Half the distance of 1 and the next larger value.
  [[nodiscard]] Real roundoff() const;
  // The smallest positive value.
  [[nodiscard]] Real smallest() const;
};
// Takes a floating dtype.
Precision precision(DType dtype);
// Returns the precision of the arithmetic on a floating dtype: float32's for the 16-bit ones.
Precision compute_precision(DType dtype);

// The value of the dtype that is nearest, ties to even; infinite beyond the largest. Values for
// integer dtypes and bool are taken modulo 2^n after truncation, and as != 0.
Real round_to(DType dtype, Real value);

// A whole number of at most 64 bits, modulo 2^64: narrower integers keep the lower bits.
std::uint64_t to_bits(Real whole);

// Rounds each element. On the host.
Tensor to_tensor(const Array& array);
// From any place.
Array to_array(const Tensor& tensor);

// "float32[2, 3]".
std::string describe(const Array& array);

}  // namespace loci::conformance
