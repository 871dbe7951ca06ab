// Another shape: of the same elements, or of repetitions of them. See loci/ops.hpp for what holds
// for every op.
#pragma once

#include <cstdint>
#include <loci/op_call.hpp>
#include <vector>

namespace loci {
inline namespace v0 {

// Gives the elements another shape; an extent of 0 is that of x at the same position, and one
// extent of -1 is inferred.
template <class V>
LOCI_OP V reshape(const V& x, const std::vector<std::int64_t>& shape) {
  return OpCall<V>("reshape").input("x", x).attr("shape", shape).result();
}

// The shape given by a list of int32 or int64, which is read on the host.
template <class V, class S, IfValue<S, V> = 0>
LOCI_OP V reshape(const V& x, const S& shape) {
  return OpCall<V>("reshape").input("x", x).input("shape_tensor", shape).result();
}

// Without the dimensions `axes`, whose extents are 1; without all such if `axes` is empty.
template <class V>
LOCI_OP V squeeze(const V& x, const std::vector<std::int64_t>& axes = {}) {
  return OpCall<V>("squeeze").input("x", x).attr("axes", axes).result();
}

// With dimensions of extent 1 at `axes`, positions in the result; negative ones count from its end.
template <class V>
LOCI_OP V unsqueeze(const V& x, const std::vector<std::int64_t>& axes) {
  return OpCall<V>("unsqueeze").input("x", x).attr("axes", axes).result();
}

// A matrix: the first `axis` dimensions of x are its rows.
template <class V>
LOCI_OP V flatten(const V& x, int axis = 1) {
  return OpCall<V>("flatten").input("x", x).attr("axis", static_cast<std::int64_t>(axis)).result();
}

// Dimension i of the result is dimension perm[i] of x.
template <class V>
LOCI_OP V transpose(const V& x, const std::vector<std::int64_t>& perm) {
  return OpCall<V>("transpose").input("x", x).attr("perm", perm).result();
}

// The extents of x: int32, [rank of x], in host memory. Nothing of x is read but its shape.
template <class V>
LOCI_OP V shape(const V& x) {
  return OpCall<V>("shape").input("x", x).result();
}

// x repeated to `shape` by NumPy's broadcasting; -1 keeps the extent of x.
template <class V>
LOCI_OP V expand(const V& x, const std::vector<std::int64_t>& shape) {
  return OpCall<V>("expand").input("x", x).attr("shape", shape).result();
}
// The shape given by a list of int32 or int64, which is read on the host.
template <class V, class S, IfValue<S, V> = 0>
LOCI_OP V expand(const V& x, const S& shape) {
  return OpCall<V>("expand").input("x", x).input("shape_tensor", shape).result();
}

// Copies of x side by side: repeats[i] of them along dimension i. Of x and `repeats` the shorter
// one gets ones in front.
template <class V>
LOCI_OP V tile(const V& x, const std::vector<std::int64_t>& repeats) {
  return OpCall<V>("tile").input("x", x).attr("repeats", repeats).result();
}

}  // namespace v0
}  // namespace loci
