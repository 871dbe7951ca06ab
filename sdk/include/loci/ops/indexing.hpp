// Finding elements, and looking them up by index. See loci/ops.hpp for what holds for every op.
#pragma once

#include <cstdint>
#include <loci/op_call.hpp>
#include <string>

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
// dimensions take the place of that axis. A position counts from the end if it is negative; one
// outside [-extent, extent) is an error when the program runs, which names the element of the index
// and the position.
template <class V>
LOCI_OP V gather(const V& x, const V& index, int axis = 0) {
  return OpCall<V>("gather")
      .input("x", x)
      .input("index", index)
      .attr("axis", static_cast<std::int64_t>(axis))
      .result();
}

// For each element of `index` (int32 or int64, of the rank of x), the element of x at that position
// along `axis`, and beside it along all others, where the index may be shorter than x: the result
// has the shape of the index. A position counts from the end if it is negative; one outside
// [-extent, extent) is an error when the program runs, which names the element of the index and the
// position.
template <class V>
LOCI_OP V gather_elements(const V& x, const V& index, int axis = 0) {
  return OpCall<V>("gather_elements")
      .input("x", x)
      .input("index", index)
      .attr("axis", static_cast<std::int64_t>(axis))
      .result();
}

// x in which the elements that gather_elements() would take are written: `updates` has the dtype of
// x and the shape of the index. Where several are written to one element, "none" leaves the last of
// them in row-major order. The other reductions take what is there along: "add", "mul", "max" and
// "min", of numbers, in row-major order, with NaN as a result where one is NaN. float16 and
// bfloat16 are reduced in float32, from x to the last of the updates, and rounded once. Results are
// the same, to the bit, in each run and for each number of threads. Gradients with respect to
// `updates` are refused with "mul"; with "max" and "min" equal elements share them.
template <class V>
LOCI_OP V scatter_elements(const V& x, const V& index, const V& updates, int axis = 0,
                           const std::string& reduction = "none") {
  return OpCall<V>("scatter_elements")
      .input("x", x)
      .input("index", index)
      .input("updates", updates)
      .attr("axis", static_cast<std::int64_t>(axis))
      .attr("reduction", reduction)
      .result();
}

// For each tuple of positions in the last dimension of `index` (int32 or int64), the slice of x
// that it names: position i is one along dimension batch_dims + i of x. The first `batch_dims`
// dimensions of both are those of a batch, in which each tuple names a slice of its own element.
// The result has the dimensions of the index but for the last, and then those of a slice. Positions
// count from the end if they are negative; one outside [-extent, extent) is an error when the
// program runs, which names the element of the index and the position.
template <class V>
LOCI_OP V gather_nd(const V& x, const V& index, int batch_dims = 0) {
  return OpCall<V>("gather_nd")
      .input("x", x)
      .input("index", index)
      .attr("batch_dims", static_cast<std::int64_t>(batch_dims))
      .result();
}

// x in which the slices that gather_nd() would take are written: `updates` has the dtype of x and
// the shape of that result. What scatter_elements() says of `reduction` holds for the elements of
// slices.
template <class V>
LOCI_OP V scatter_nd(const V& x, const V& index, const V& updates,
                     const std::string& reduction = "none", int batch_dims = 0) {
  return OpCall<V>("scatter_nd")
      .input("x", x)
      .input("index", index)
      .input("updates", updates)
      .attr("batch_dims", static_cast<std::int64_t>(batch_dims))
      .attr("reduction", reduction)
      .result();
}

struct EmbeddingOptions {
  // A row that reads as zeros and gets no gradient; -1: none.
  std::int64_t padding_idx = -1;
  // Its gradient is the touched rows; otherwise a tensor of the table's shape.
  bool sparse = true;
};

// Rows of the table `weight` [rows, width], floating, by ids (int32 or int64, any shape): [ids...,
// width]. An id outside [0, rows), also a negative one, is an error when the program runs; it names
// the position and the id.
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
