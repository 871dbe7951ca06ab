// Finding elements, and looking them up by index. See loci/ops.hpp for what holds for every op.
#pragma once

#include <cstdint>
#include <loci/op_call.hpp>

namespace loci {
inline namespace v0 {

// The positions of the elements of x that are not zero (NaN is not), in row-major order: int64,
// [count, rank of x]. The count depends on the data: the run waits for it before it starts what
// reads the result.
template <class V>
LOCI_OP V nonzero(const V& x) {
  return OpCall<V>("nonzero").input("x", x).result();
}

// The slices of x along `axis` at the positions `index` (int32 or int64, any shape), whose
// dimensions take the place of that axis. A position outside [0, extent) is an error when the
// program runs; it names the element of the index and the position.
template <class V>
LOCI_OP V gather(const V& x, const V& index, int axis = 0) {
  return OpCall<V>("gather")
      .input("x", x)
      .input("index", index)
      .attr("axis", static_cast<std::int64_t>(axis))
      .result();
}

struct EmbeddingOptions {
  // A row that reads as zeros and gets no gradient; -1: none.
  std::int64_t padding_idx = -1;
  // Its gradient is the touched rows; otherwise a tensor of the table's shape.
  bool sparse = true;
};

// Rows of the table `weight` [rows, width], floating, by ids (int32 or int64, any shape): [ids...,
// width]. An id outside [0, rows) is an error when the program runs; it names the position and the
// id.
template <class V>
LOCI_OP V embedding(const V& weight, const V& ids, const EmbeddingOptions& options = {}) {
  return OpCall<V>("embedding")
      .input("weight", weight)
      .input("ids", ids)
      .attr("padding_idx", options.padding_idx)
      .attr("sparse", options.sparse)
      .result();
}

}  // namespace v0
}  // namespace loci
