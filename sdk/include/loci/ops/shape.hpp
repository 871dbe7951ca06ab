// The same elements under another shape. See loci/ops.hpp for what holds for every op.
#pragma once

#include <cstdint>
#include <loci/op_call.hpp>
#include <vector>

namespace loci {
inline namespace v0 {

// The same elements under another shape; an extent of 0 is that of x at the same position, and one
// extent of -1 is inferred.
template <class V>
V reshape(const V& x, const std::vector<std::int64_t>& shape) {
  return OpCall<V>("reshape").input("x", x).attr("shape", shape).result();
}

// A matrix: the first `axis` dimensions of x are its rows.
template <class V>
V flatten(const V& x, int axis = 1) {
  return OpCall<V>("flatten").input("x", x).attr("axis", static_cast<std::int64_t>(axis)).result();
}

}  // namespace v0
}  // namespace loci
