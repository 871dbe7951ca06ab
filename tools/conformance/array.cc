#include "tools/conformance/array.h"

#include <loci/abi/half.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace loci::conformance {
namespace {

// Calls visitor with a value of the C++ type that stores the dtype: uint16_t for the 16-bit floats.
template <class Visitor>
void visit_storage(DType dtype, Visitor&& visitor) {
  switch (dtype) {
    case DType::kBool:
    case DType::kUInt8: return visitor(std::uint8_t{});
    case DType::kInt8: return visitor(std::int8_t{});
    case DType::kInt16: return visitor(std::int16_t{});
    case DType::kInt32: return visitor(std::int32_t{});
    case DType::kInt64: return visitor(std::int64_t{});
    case DType::kFloat16:
    case DType::kBFloat16:
    case DType::kUInt16: return visitor(std::uint16_t{});
    case DType::kUInt32: return visitor(std::uint32_t{});
    case DType::kUInt64: return visitor(std::uint64_t{});
    case DType::kFloat32: return visitor(float{});
    case DType::kFloat64: return visitor(double{});
    case DType::kNone: break;
  }
  throw std::logic_error("no elements have the dtype none");
}

template <class T>
T encode(DType dtype, Real value) {
  const Real rounded = round_to(dtype, value);
  if (dtype == kFloat16) return static_cast<T>(loci_f32_to_f16(static_cast<float>(rounded)));
  if (dtype == kBFloat16) return static_cast<T>(loci_f32_to_bf16(static_cast<float>(rounded)));
  return static_cast<T>(rounded);
}

template <class T>
Real decode(DType dtype, T element) {
  if (dtype == kFloat16) return loci_f16_to_f32(static_cast<std::uint16_t>(element));
  if (dtype == kBFloat16) return loci_bf16_to_f32(static_cast<std::uint16_t>(element));
  return static_cast<Real>(element);
}

Real round_to_float(const Precision& to, Real value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int exponent = std::max(std::ilogb(value), to.min_exponent);
  const Real quantum = std::ldexp(Real{1}, exponent - (to.digits - 1));
  const Real rounded = std::nearbyint(value / quantum) * quantum;
  const bool overflows = std::abs(rounded) >= std::ldexp(Real{1}, to.max_exponent + 1);
  return overflows ? std::copysign(std::numeric_limits<Real>::infinity(), value) : rounded;
}

Real wrap(DType dtype, Real value) {
  const int bits = 8 * static_cast<int>(dtype_size(dtype));
  const bool is_signed = dtype == kInt8 || dtype == kInt16 || dtype == kInt32 || dtype == kInt64;
  const Real modulus = std::ldexp(Real{1}, bits);
  Real wrapped = std::fmod(std::trunc(value), modulus);
  if (wrapped < (is_signed ? -modulus / 2 : 0)) wrapped += modulus;
  if (is_signed && wrapped >= modulus / 2) wrapped -= modulus;
  return wrapped;
}

}  // namespace

std::size_t Array::offset(const Index& index) const {
  std::int64_t result = 0;
  for (int i = 0; i < shape.rank(); ++i)
    result = result * shape[i] + index[static_cast<std::size_t>(i)];
  return static_cast<std::size_t>(result);
}

Index index_of(const Shape& shape, std::size_t offset) {
  auto rest = static_cast<std::int64_t>(offset);
  Index index(static_cast<std::size_t>(shape.rank()));
  for (int i = shape.rank() - 1; i >= 0; --i) {
    index[static_cast<std::size_t>(i)] = rest % shape[i];
    rest /= shape[i];
  }
  return index;
}

Real Precision::roundoff() const { return std::ldexp(Real{1}, -digits); }
Real Precision::smallest() const { return std::ldexp(Real{1}, min_exponent - (digits - 1)); }

Precision precision(DType dtype) {
  switch (dtype) {
    case DType::kFloat16: return {11, -14, 15};
    case DType::kBFloat16: return {8, -126, 127};
    case DType::kFloat32: return {24, -126, 127};
    case DType::kFloat64: return {53, -1022, 1023};
    default: throw std::logic_error(std::string(dtype_name(dtype)) + " is not floating");
  }
}

Precision compute_precision(DType dtype) {
  return precision(dtype_size(dtype) == 2 ? kFloat32 : dtype);
}

Real round_to(DType dtype, Real value) {
  if (is_floating(dtype)) return round_to_float(precision(dtype), value);
  return dtype == kBool ? Real(value != 0) : wrap(dtype, value);
}

std::uint64_t to_bits(Real whole) {
  return whole < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(whole))
                   : static_cast<std::uint64_t>(whole);
}

Tensor to_tensor(const Array& array) {
  Tensor tensor;
  visit_storage(array.dtype, [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> elements(array.size());
    for (std::size_t i = 0; i < elements.size(); ++i) {
      elements[i] = encode<T>(array.dtype, array.values[i]);
    }
    tensor = Tensor::from_bytes(elements.data(), array.shape, array.dtype);
  });
  return tensor;
}

Array to_array(const Tensor& tensor) {
  const Tensor host = tensor.to(Place());
  Array array(host.dtype(), host.shape());
  visit_storage(array.dtype, [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> elements(array.size());
    if (!elements.empty()) std::memcpy(elements.data(), host.raw_data(), host.bytes());
    for (std::size_t i = 0; i < elements.size(); ++i) {
      array.values[i] = decode<T>(array.dtype, elements[i]);
    }
  });
  return array;
}

std::string describe(const Array& array) {
  return std::string(dtype_name(array.dtype)) + array.shape.to_string();
}

}  // namespace loci::conformance
