// Reductions over dimensions. See loci/ops.hpp for what holds for every op.
#pragma once

#include <cstdint>
#include <loci/op_call.hpp>
#include <vector>

namespace loci {
inline namespace v0 {

// The mean of all elements, of rank 0. Floating.
template <class V>
LOCI_OP V mean(const V& x) {
  return OpCall<V>("mean").input("x", x).result();
}

// Sum and mean over `axes` (all of them if empty; negative ones count from the end). The mean is
// for floating dtypes.
template <class V>
LOCI_OP V reduce_sum(const V& x, const std::vector<std::int64_t>& axes = {},
                     bool keep_dim = false) {
  return OpCall<V>("reduce_sum")
      .input("x", x)
      .attr("axes", axes)
      .attr("keep_dim", keep_dim)
      .result();
}
template <class V>
LOCI_OP V reduce_mean(const V& x, const std::vector<std::int64_t>& axes = {},
                      bool keep_dim = false) {
  return OpCall<V>("reduce_mean")
      .input("x", x)
      .attr("axes", axes)
      .attr("keep_dim", keep_dim)
      .result();
}

// The largest, the smallest and the product over `axes`, as above, of numbers. NaN is the result
// where there is one. Elements that are equally large share the gradient evenly. Integer products
// wrap. Of no elements the product is 1; the others are an error.
template <class V>
LOCI_OP V reduce_max(const V& x, const std::vector<std::int64_t>& axes = {},
                     bool keep_dim = false) {
  return OpCall<V>("reduce_max")
      .input("x", x)
      .attr("axes", axes)
      .attr("keep_dim", keep_dim)
      .result();
}
template <class V>
LOCI_OP V reduce_min(const V& x, const std::vector<std::int64_t>& axes = {},
                     bool keep_dim = false) {
  return OpCall<V>("reduce_min")
      .input("x", x)
      .attr("axes", axes)
      .attr("keep_dim", keep_dim)
      .result();
}
template <class V>
LOCI_OP V reduce_prod(const V& x, const std::vector<std::int64_t>& axes = {},
                      bool keep_dim = false) {
  return OpCall<V>("reduce_prod")
      .input("x", x)
      .attr("axes", axes)
      .attr("keep_dim", keep_dim)
      .result();
}

// The index, int64, of the largest element along `axis`; the first of equal ones, and NaN counts as
// the largest.
template <class V>
LOCI_OP V argmax(const V& x, int axis = -1, bool keep_dim = false) {
  return OpCall<V>("argmax")
      .input("x", x)
      .attr("axis", static_cast<std::int64_t>(axis))
      .attr("keep_dim", keep_dim)
      .result();
}

// Along `axis`, the sum, and the product, of all elements up to each one, which has the shape and
// the dtype of x: integers wrap. `exclusive` leaves the element itself out, so that the first is 0,
// or 1; `reverse` begins at the end. float16 and bfloat16 are rounded once, at each element. The
// results are the same, to the bit, for each number of threads. A product has a gradient also where
// there are zeros.
template <class V>
LOCI_OP V cumsum(const V& x, int axis = -1, bool exclusive = false, bool reverse = false) {
  return OpCall<V>("cumsum")
      .input("x", x)
      .attr("axis", static_cast<std::int64_t>(axis))
      .attr("exclusive", exclusive)
      .attr("reverse", reverse)
      .result();
}
template <class V>
LOCI_OP V cumprod(const V& x, int axis = -1, bool exclusive = false, bool reverse = false) {
  return OpCall<V>("cumprod")
      .input("x", x)
      .attr("axis", static_cast<std::int64_t>(axis))
      .attr("exclusive", exclusive)
      .attr("reverse", reverse)
      .result();
}

}  // namespace v0
}  // namespace loci
