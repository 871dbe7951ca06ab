// Tensors of tests that use a plugin through the C tables: bytes on the host, made from doubles.
#pragma once

#include <loci/abi/kernels.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace loci::testing {

using Dims = std::vector<std::int64_t>;

// A tensor on the host.
struct Value {
  loci_dtype dtype = LOCI_DTYPE_NONE;
  Dims dims;
  std::vector<std::byte> bytes;
  std::uint32_t residence = LOCI_RESIDENCE_DEVICE;

  [[nodiscard]] std::size_t numel() const;
  template <class T>
  [[nodiscard]] const T* data() const {
    return reinterpret_cast<const T*>(bytes.data());
  }
};

// Elements are converted from double; of 64-bit integers as far as double holds them.
Value value_of(loci_dtype dtype, Dims dims, const std::vector<double>& elements);
// Between low and high, the same for the same seed; integers are whole.
Value random_value(loci_dtype dtype, Dims dims, double low, double high, unsigned seed = 1);
Value empty_like(loci_dtype dtype, Dims dims);  // zeros
Value metadata(loci_dtype dtype, Dims dims);    // an argument of which only the shape is read
Value absent();                                 // an optional argument that is not given
std::vector<double> to_doubles(const Value& value);
const char* dtype_text(loci_dtype dtype);
// Returns the bytes of all elements.
std::uint64_t byte_count(loci_dtype dtype, const Dims& dims);

}  // namespace loci::testing
