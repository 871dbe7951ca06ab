#include "tests/support/host_value.h"

#include <cstring>
#include <loci/plugin/dtype_visit.hpp>
#include <random>
#include <stdexcept>
#include <utility>

namespace loci::testing {

std::uint64_t byte_count(loci_dtype dtype, const Dims& dims) {
  std::uint64_t count = sdk::dtype_bytes(dtype);
  for (const std::int64_t extent : dims) count *= static_cast<std::uint64_t>(extent);
  return count;
}

std::size_t Value::numel() const {
  std::size_t count = 1;
  for (const std::int64_t extent : dims) count *= static_cast<std::size_t>(extent);
  return count;
}

Value empty_like(loci_dtype dtype, Dims dims) {
  Value value{dtype, std::move(dims), {}, LOCI_RESIDENCE_DEVICE};
  value.bytes.resize(byte_count(dtype, value.dims));
  return value;
}

Value value_of(loci_dtype dtype, Dims dims, const std::vector<double>& elements) {
  Value value = empty_like(dtype, std::move(dims));
  if (elements.size() != value.numel()) throw std::logic_error("wrong number of elements");
  sdk::visit_all(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const T element = static_cast<T>(elements[i]);
      std::memcpy(value.bytes.data() + i * sizeof(T), &element, sizeof(T));
    }
  });
  return value;
}

Value random_value(loci_dtype dtype, Dims dims, double low, double high, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> distribution(low, high);
  const bool whole = (sdk::kFloatBits & LOCI_DTYPE_BIT(dtype)) == 0;
  std::vector<double> elements(empty_like(dtype, dims).numel());
  for (double& element : elements) {
    element = distribution(generator);
    if (whole) element = static_cast<double>(static_cast<std::int64_t>(element));
  }
  return value_of(dtype, std::move(dims), elements);
}

Value metadata(loci_dtype dtype, Dims dims) {
  return {dtype, std::move(dims), {}, LOCI_RESIDENCE_METADATA};
}

Value absent() { return {}; }

std::vector<double> to_doubles(const Value& value) {
  std::vector<double> elements;
  sdk::visit_all(value.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::size_t i = 0; i < value.numel(); ++i) {
      elements.push_back(static_cast<double>(value.data<T>()[i]));
    }
  });
  return elements;
}

const char* dtype_text(loci_dtype dtype) {
  static constexpr const char* kNames[] = {"none", "bool", "i8",  "i16", "i32",  "i64", "u8",
                                           "u16",  "u32",  "u64", "f16", "bf16", "f32", "f64"};
  return kNames[dtype];
}

}  // namespace loci::testing
