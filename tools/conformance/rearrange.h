// The references of ops that only move elements.
#pragma once

#include <functional>

#include "tools/conformance/case.h"

namespace loci::conformance {

// A result of `shape` whose element at an index is, to the bit, the element of x at source(index).
Expected rearranged(const Array& x, const Shape& shape,
                    const std::function<Index(const Index&)>& source);

// Values of any dtype that the 8-bit ones hold as well.
Generator small_values(DType dtype);

}  // namespace loci::conformance
