// Probabilities, losses and metrics. See loci/ops.hpp for what holds for every op.
#pragma once

#include <cstdint>
#include <loci/op_call.hpp>

namespace loci {
inline namespace v0 {

// exp(x - max) / sum(exp(x - max)) along `axis`. Floating.
template <class V>
LOCI_OP V softmax(const V& x, int axis = -1) {
  return OpCall<V>("softmax").input("x", x).attr("axis", static_cast<std::int64_t>(axis)).result();
}

// x - max - log(sum(exp(x - max))) along `axis`. Floating.
template <class V>
LOCI_OP V log_softmax(const V& x, int axis = -1) {
  return OpCall<V>("log_softmax")
      .input("x", x)
      .attr("axis", static_cast<std::int64_t>(axis))
      .result();
}

// x / norm with norm = sqrt(sum(x^2) + epsilon) along `axis`; epsilon is not negative. Floating.
template <class V>
LOCI_OP V l2_normalize(const V& x, int axis = -1, double epsilon = 1e-12) {
  return OpCall<V>("l2_normalize")
      .input("x", x)
      .attr("axis", static_cast<std::int64_t>(axis))
      .attr("epsilon", epsilon)
      .result();
}

// (input - label)^2 element by element; both have one shape and one floating dtype.
template <class V>
LOCI_OP V square_error_cost(const V& input, const V& label) {
  return OpCall<V>("square_error_cost").input("input", input).input("label", label).result();
}

// -log(x[label]) or, with soft labels, -sum(label * log(x)), over the last dimension of the
// probabilities x: [..., classes]. Hard labels: int64 or int32, [..., 1] or [...]; a row whose
// label is `ignore_index` gives 0. Soft labels: like x, and with a gradient. Result: [..., 1].
template <class V>
LOCI_OP V cross_entropy(const V& x, const V& label, bool soft_label = false,
                        std::int64_t ignore_index = -100) {
  return OpCall<V>("cross_entropy")
      .input("x", x)
      .input("label", label)
      .attr("soft_label", soft_label)
      .attr("ignore_index", ignore_index)
      .result();
}

// cross_entropy(softmax(logits), label) in one, from log-sum-exp; labels as in cross_entropy.
template <class V>
LOCI_OP V softmax_with_cross_entropy(const V& logits, const V& label, bool soft_label = false,
                                     std::int64_t ignore_index = -100) {
  return OpCall<V>("softmax_with_cross_entropy")
      .input("logits", logits)
      .input("label", label)
      .attr("soft_label", soft_label)
      .attr("ignore_index", ignore_index)
      .results()[1];
}

// The share of rows of x: [rows, classes] whose label (int64 or int32, [rows, 1] or [rows]) is
// among the k largest; float32 of rank 0.
template <class V>
LOCI_OP V accuracy(const V& x, const V& label, int k = 1) {
  return OpCall<V>("accuracy")
      .input("x", x)
      .input("label", label)
      .attr("k", static_cast<std::int64_t>(k))
      .result();
}

}  // namespace v0
}  // namespace loci
