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
LOCI_OP V layer_norm(const V& x, const V& scale = {}, const V& bias = {}, int begin_norm_axis = 1,
                     double epsilon = 1e-5) {
  return OpCall<V>("layer_norm")
      .input("x", x)
      .input("scale", scale)
      .input("bias", bias)
      .attr("begin_norm_axis", static_cast<std::int64_t>(begin_norm_axis))
      .attr("epsilon", epsilon)
      .result();
}

struct BatchNormOptions {
  double momentum = 0.9;
  double epsilon = 1e-5;
  std::string data_layout = "NCHW";  // channels are dimension 1; "NHWC": the last dimension
  // Both take mean and variance as they are instead of those of the batch, and do not change them.
  bool is_test = false;           // set in Program::clone_for_test()
  bool use_global_stats = false;  // while training too
};

// (x - m) / sqrt(v + epsilon) * scale + bias for each channel of x: [batch, channels, ...], at
// least two dimensions; m and v are mean and variance of the channel's elements. Then
//   mean = momentum * mean + (1 - momentum) * m, variance likewise,
// in place: both are persistable. A batch without elements leaves them as they are. scale, bias:
// [channels] in the dtype of x; mean, variance: [channels]. Floating.
template <class V>
LOCI_OP V batch_norm(const V& x, const V& scale, const V& bias, const V& mean, const V& variance,
                     const BatchNormOptions& options = {}) {
  return OpCall<V>("batch_norm")
      .input("x", x)
      .input("scale", scale)
      .input("bias", bias)
      .input("mean", mean)
      .input("variance", variance)
      .attr("momentum", options.momentum)
      .attr("epsilon", options.epsilon)
      .attr("data_layout", options.data_layout)
      .attr("is_test", options.is_test)
      .attr("use_global_stats", options.use_global_stats)
      .result();
}

// x with each element set to 0 with probability p, by the uniform bits of uniform_random() (one
// float32 for each element, whatever the dtype; an element stays if its number is at least p), and
// what stays divided by 1 - p. mode "downgrade_in_infer" does not divide. With is_test, which
// Program::clone_for_test() sets, nothing is dropped: the result is x, or in mode
// "downgrade_in_infer" x * (1 - p). Floating.
template <class V>
LOCI_OP V dropout(const V& x, double p = 0.5, bool is_test = false,
                  const std::string& mode = "upscale_in_train") {
  return OpCall<V>("dropout")
      .input("x", x)
      .attr("p", p)
      .attr("is_test", is_test)
      .attr("mode", mode)
      .result();
}

}  // namespace v0
}  // namespace loci
