// Matrix products in the reference's precision.
#pragma once

#include "tools/conformance/case.h"

namespace loci::conformance {

// out[b, i, j] = sum over k of x[b, i, k] y[b, k, j], of the first two arrays: K products and sums
// in any order.
[[nodiscard]] Expected product(const Arrays& in, bool transpose_x, bool transpose_y);

// Returns the shape of the result.
[[nodiscard]] Shape product_shape(const Shape& x, const Shape& y, bool transpose_x,
                                  bool transpose_y);

}  // namespace loci::conformance
