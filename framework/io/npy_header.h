// The header of NumPy's .npy format, versions 1.0, 2.0 and 3.0.
#pragma once

#include <cstddef>
#include <loci/dtype.hpp>
#include <loci/shape.hpp>
#include <string>
#include <string_view>

namespace loci {
inline namespace v0 {
namespace io {

inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

// The facts that a header gives.
struct NpyHeader {
  DType dtype = DType::kNone;
  bool big_endian = false;
  bool fortran_order = false;
  Shape shape;
};

// Reads the dictionary that stands after the length. Throws Error(kDataLoss) with the file, the key
// and the reason.
NpyHeader parse_npy_header(std::string_view text, const std::string& file);

// All that comes before the elements, version 1.0, as NumPy writes it: a multiple of 64 bytes.
// Throws Error(kInvalidArgument) for a dtype that NumPy lacks.
std::string npy_preamble(DType dtype, const Shape& shape);

}  // namespace io
}  // namespace v0
}  // namespace loci
