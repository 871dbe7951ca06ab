// Which numbers an integer dtype has.
#pragma once

#include <cmath>
#include <cstdint>
#include <loci/dtype.hpp>

namespace loci {
namespace core {

// 2^n for an integer dtype of n bits.
inline double residues_of(DType dtype) {
  return std::ldexp(1.0, 8 * static_cast<int>(dtype_size(dtype)));
}

inline bool is_signed_integer(DType dtype) {
  return dtype == kInt8 || dtype == kInt16 || dtype == kInt32 || dtype == kInt64;
}

// The least number of an integer dtype, and the first one above all of them.
inline double least_integer(DType dtype) {
  return is_signed_integer(dtype) ? -residues_of(dtype) / 2 : 0.0;
}
inline double integer_end(DType dtype) {
  return is_signed_integer(dtype) ? residues_of(dtype) / 2 : residues_of(dtype);
}

// Returns true if the number without its fraction is one of the integer dtype; NaN is none.
inline bool fits_integer(double number, DType dtype) {
  const double whole = std::trunc(number);
  return whole >= least_integer(dtype) && whole < integer_end(dtype);
}

// True if the integer dtype has this number. Exact, unlike through a double.
inline bool holds_integer(std::int64_t number, DType dtype) {
  if (dtype == kInt64) return true;
  if (dtype == kUInt64) return number >= 0;
  return fits_integer(static_cast<double>(number), dtype);
}

}  // namespace core
}  // namespace loci
