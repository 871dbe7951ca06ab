// Normalisation, and dropout. See loci/ops.hpp for what holds for every op.
//
// Means and variances are those of the population: sums divided by the count. They are float64 for
// float64, else float32.
#pragma once

#include <cstdint>
#include <loci/op_call.hpp>
#include <string>

namespace loci {
inline namespace v0 {

// (x - mean) / sqrt(variance + epsilon) * scale + bias over each row: the elements that share their
// position in the first `begin_norm_axis` dimensions. scale and bias: [elements of a row], in the
// dtype of x, or undefined. Floating.
template <class V>
V layer_norm(const V& x, const V& scale = {}, const V& bias = {}, int begin_norm_axis = 1,
             double epsilon = 1e-5) {
  return OpCall<V>("layer_norm")
      .input("x", x)
      .input("scale", scale)
      .input("bias", bias)
      .attr("begin_norm_axis", static_cast<std::int64_t>(begin_norm_axis))
      .attr("epsilon", epsilon)
      .result();
}

}  // namespace v0
}  // namespace loci
