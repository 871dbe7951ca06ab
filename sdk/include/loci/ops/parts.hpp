// Parts of tensors, and tensors put together. See loci/ops.hpp for what holds for every op.
#pragma once

#include <cstdint>
#include <loci/op_call.hpp>
#include <vector>

namespace loci {
inline namespace v0 {

// The elements from starts[i] to before ends[i], every steps[i]-th (every one, if `steps` is
// empty), along axes[i], by NumPy's rule: negative bounds count from the end, bounds outside are
// moved to the nearest end, and a negative step walks backwards.
template <class V>
LOCI_OP V slice(const V& x, const std::vector<std::int64_t>& axes,
                const std::vector<std::int64_t>& starts, const std::vector<std::int64_t>& ends,
                const std::vector<std::int64_t>& steps = {}) {
  return OpCall<V>("slice")
      .input("x", x)
      .attr("axes", axes)
      .attr("starts", starts)
      .attr("ends", ends)
      .attr("steps", steps)
      .result();
}
// The bounds given by lists of int32 or int64, which are read on the host.
template <class V, class S, IfValue<S, V> = 0>
LOCI_OP V slice(const V& x, const std::vector<std::int64_t>& axes, const S& starts, const S& ends,
                const std::vector<std::int64_t>& steps = {}) {
  return OpCall<V>("slice")
      .input("x", x)
      .input("starts_tensor", starts)
      .input("ends_tensor", ends)
      .attr("axes", axes)
      .attr("steps", steps)
      .result();
}

// x with y where slice() would take a part from, by the same rule of bounds. y is of the dtype of x
// and is repeated to the shape of the part, as NumPy's `x[1:3] = y` does. See Tensor::set_slice_()
// for the same in place.
template <class V>
LOCI_OP V set_slice(const V& x, const V& y, const std::vector<std::int64_t>& axes,
                    const std::vector<std::int64_t>& starts, const std::vector<std::int64_t>& ends,
                    const std::vector<std::int64_t>& steps = {}) {
  return OpCall<V>("set_slice")
      .input("x", x)
      .input("y", y)
      .attr("axes", axes)
      .attr("starts", starts)
      .attr("ends", ends)
      .attr("steps", steps)
      .result();
}
// The bounds given by lists of int32 or int64, which are read on the host.
template <class V, class S, IfValue<S, V> = 0>
LOCI_OP V set_slice(const V& x, const V& y, const std::vector<std::int64_t>& axes, const S& starts,
                    const S& ends, const std::vector<std::int64_t>& steps = {}) {
  return OpCall<V>("set_slice")
      .input("x", x)
      .input("y", y)
      .input("starts_tensor", starts)
      .input("ends_tensor", ends)
      .attr("axes", axes)
      .attr("steps", steps)
      .result();
}

// The part of `shape` that begins at `offsets` (at 0 everywhere, if it is empty); an extent of -1
// reaches to the end.
template <class V>
LOCI_OP V crop_tensor(const V& x, const std::vector<std::int64_t>& shape,
                      const std::vector<std::int64_t>& offsets = {}) {
  return OpCall<V>("crop_tensor")
      .input("x", x)
      .attr("shape", shape)
      .attr("offsets", offsets)
      .result();
}
// The shape, and the offsets unless they are undefined, given by lists of int32 or int64, which are
// read on the host.
template <class V, class S, IfValue<S, V> = 0>
LOCI_OP V crop_tensor(const V& x, const S& shape, const V& offsets = {}) {
  return OpCall<V>("crop_tensor")
      .input("x", x)
      .input("shape_tensor", shape)
      .input("offsets_tensor", offsets)
      .result();
}

// All x one after the other along `axis`, in which alone their extents may differ.
template <class V>
LOCI_OP V concat(const std::vector<V>& x, int axis = 0) {
  return OpCall<V>("concat")
      .inputs_of("x", x)
      .attr("axis", static_cast<std::int64_t>(axis))
      .result();
}

// x in `num` equal parts along `axis`.
template <class V>
LOCI_OP std::vector<V> split(const V& x, std::int64_t num, int axis = 0) {
  return OpCall<V>("split")
      .input("x", x)
      .attr("num", num)
      .attr("axis", static_cast<std::int64_t>(axis))
      .results();
}
// In parts of these extents, of which one may be -1: what the others leave.
template <class V>
LOCI_OP std::vector<V> split(const V& x, const std::vector<std::int64_t>& sections, int axis = 0) {
  return OpCall<V>("split")
      .input("x", x)
      .attr("sections", sections)
      .attr("axis", static_cast<std::int64_t>(axis))
      .results();
}

// All x, of one shape, along a new dimension `axis` of the result.
template <class V>
LOCI_OP V stack(const std::vector<V>& x, int axis = 0) {
  return OpCall<V>("stack")
      .inputs_of("x", x)
      .attr("axis", static_cast<std::int64_t>(axis))
      .result();
}

// The slices of x along `axis`, which is gone; its extent must be known.
template <class V>
LOCI_OP std::vector<V> unstack(const V& x, int axis = 0) {
  return OpCall<V>("unstack").input("x", x).attr("axis", static_cast<std::int64_t>(axis)).results();
}

}  // namespace v0
}  // namespace loci
