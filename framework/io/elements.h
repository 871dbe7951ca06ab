// Elements of tensors as bytes in files.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <loci/dtype.hpp>
#include <loci/shape.hpp>
#include <optional>

namespace loci {
inline namespace v0 {
namespace io {

// The formats are little endian, and bytes are read straight into tensors.
static_assert(std::endian::native == std::endian::little);

// Bytes of a dense tensor; none if they do not fit into 63 bits or an extent is negative.
std::optional<std::uint64_t> byte_size(const Shape& shape, DType dtype);

// Index of the first byte that is neither 0 nor 1, which no bool may be.
std::optional<std::size_t> find_bad_bool(const void* data, std::size_t count);

// Reverses the bytes of each element, of 1, 2, 4 or 8 bytes.
void swap_byte_order(void* data, std::size_t count, std::size_t element_bytes);

// Copies elements that lie first dimension fastest to where the last is fastest. Elements of 1, 2,
// 4 or 8 bytes.
void fortran_to_c_order(const void* source, void* target, const Shape& shape,
                        std::size_t element_bytes);

}  // namespace io
}  // namespace v0
}  // namespace loci
