// Elements of lines in their order. See loci/ops.hpp for what holds for every op.
#pragma once

#include <cstdint>
#include <loci/op_call.hpp>
#include <utility>
#include <vector>

namespace loci {
inline namespace v0 {

// Elements, and the position of each along the axis, int64.
template <class V>
struct Ordered {
  V values;
  V indices;
};

// The `k` largest elements of each line along `axis`, the largest first; the smallest ones, and the
// smallest first, unless `largest`. NaN counts as the largest, and of equal elements the first one
// comes first. k is from 0 to the extent of the axis. Without `sorted` the order is left open.
template <class V>
LOCI_OP Ordered<V> topk(const V& x, std::int64_t k, int axis = -1, bool largest = true,
                        bool sorted = true) {
  std::vector<V> out = OpCall<V>("topk")
                           .input("x", x)
                           .attr("k", k)
                           .attr("axis", static_cast<std::int64_t>(axis))
                           .attr("largest", largest)
                           .attr("sorted", sorted)
                           .results();
  return {std::move(out[0]), std::move(out[1])};
}

// The elements of each line along `axis` in rising order, or falling. NaN counts as the largest;
// equal elements keep their order either way.
template <class V>
LOCI_OP Ordered<V> sort(const V& x, int axis = -1, bool descending = false) {
  std::vector<V> out = OpCall<V>("sort")
                           .input("x", x)
                           .attr("axis", static_cast<std::int64_t>(axis))
                           .attr("descending", descending)
                           .results();
  return {std::move(out[0]), std::move(out[1])};
}

// The positions alone.
template <class V>
LOCI_OP V argsort(const V& x, int axis = -1, bool descending = false) {
  return sort(x, axis, descending).indices;
}

}  // namespace v0
}  // namespace loci
