// Constants all of whose elements are one number.
#pragma once

#include <optional>

#include "framework/program/program_impl.h"

namespace loci::passes {

// The number that each element of what the operator makes is, where the program says it:
// fill_constant, full_like, or assign_value of equal elements. Of 0 the sign counts. `dtype` is
// that of the result.
[[nodiscard]] std::optional<double> uniform_number(const program::Operator& maker, DType dtype);

}  // namespace loci::passes
