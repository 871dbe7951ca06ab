// Finding elements, and looking them up by index. See loci/ops.hpp for what holds for every op.
#pragma once

#include <loci/op_call.hpp>

namespace loci {
inline namespace v0 {

// The positions of the elements of x that are not zero (NaN is not), in row-major order: int64,
// [count, rank of x]. The count depends on the data: the run waits for it before it starts what
// reads the result.
template <class V>
V nonzero(const V& x) {
  return OpCall<V>("nonzero").input("x", x).result();
}

}  // namespace v0
}  // namespace loci
