// Matrix products. See loci/ops.hpp for what holds for every op.
#pragma once

#include <cstdint>
#include <loci/op_call.hpp>

namespace loci {
inline namespace v0 {

// Matrix products over the last two dimensions; leading dimensions broadcast. A vector operand is
// taken as a row (x) or column (y), and that dimension is dropped from the result. Floating.
template <class V>
LOCI_OP V matmul(const V& x, const V& y, bool transpose_x = false, bool transpose_y = false) {
  return OpCall<V>("matmul")
      .input("x", x)
      .input("y", y)
      .attr("transpose_x", transpose_x)
      .attr("transpose_y", transpose_y)
      .result();
}

// The product of x and y, each flattened to a matrix: the first `x_num_col_dims` dimensions of x
// are its rows, the first `y_num_col_dims` of y likewise. The result keeps the unflattened extents.
template <class V>
LOCI_OP V mul(const V& x, const V& y, int x_num_col_dims = 1, int y_num_col_dims = 1) {
  return OpCall<V>("mul")
      .input("x", x)
      .input("y", y)
      .attr("x_num_col_dims", static_cast<std::int64_t>(x_num_col_dims))
      .attr("y_num_col_dims", static_cast<std::int64_t>(y_num_col_dims))
      .result();
}

}  // namespace v0
}  // namespace loci
