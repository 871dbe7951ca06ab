// One function per op. V is Variable when a program is built.
//
// Broadcasting is NumPy's: shapes are aligned at their last dimension, and an extent of 1 repeats.
// Every function throws Error(kInvalidArgument) when dtypes or shapes do not fit; the message names
// the op, the variables and their shapes. Floating dtypes are float16, bfloat16, float32 and
// float64; the 16-bit ones are computed in float32 and rounded once.
#pragma once

#include <cstdint>
#include <loci/dtype.hpp>
#include <loci/op_call.hpp>
#include <loci/program.hpp>
#include <loci/shape.hpp>
#include <string>
#include <vector>

namespace loci {
inline namespace v0 {

// Creation.

// A tensor of `shape` in which every element is `value`, converted to `dtype`.
inline Variable fill_constant(const Shape& shape, double value, DType dtype = kFloat32) {
  return OpCall<Variable>("fill_constant")
      .attr("shape", shape.dims())
      .attr("value", value)
      .attr("dtype", dtype)
      .result();
}

// Uniform in [low, high), by Philox4x32-10 (Salmon et al., 2011) keyed with the seed and counted by
// run, operator and element: bits do not depend on place or thread count.
inline Variable uniform_random(const Shape& shape, double low = 0.0, double high = 1.0,
                               DType dtype = kFloat32) {
  return OpCall<Variable>("uniform_random")
      .attr("shape", shape.dims())
      .attr("low", low)
      .attr("high", high)
      .attr("dtype", dtype)
      .result();
}

// Normally distributed, by the Box-Muller transform of those uniform bits.
inline Variable gaussian_random(const Shape& shape, double mean = 0.0, double deviation = 1.0,
                                DType dtype = kFloat32) {
  return OpCall<Variable>("gaussian_random")
      .attr("shape", shape.dims())
      .attr("mean", mean)
      .attr("deviation", deviation)
      .attr("dtype", dtype)
      .result();
}

// Elementwise.

// A copy.
template <class V>
V assign(const V& x) {
  return OpCall<V>("assign").input("x", x).result();
}

// Converts each element: to an integer towards zero, to bool by != 0.
template <class V>
V cast(const V& x, DType dtype) {
  return OpCall<V>("cast").input("x", x).attr("dtype", dtype).result();
}

// x + y, x - y, x * y, x / y with broadcasting; both have one dtype. Integer division truncates.
template <class V>
V elementwise_add(const V& x, const V& y) {
  return OpCall<V>("elementwise_add").input("x", x).input("y", y).result();
}
template <class V>
V elementwise_sub(const V& x, const V& y) {
  return OpCall<V>("elementwise_sub").input("x", x).input("y", y).result();
}
template <class V>
V elementwise_mul(const V& x, const V& y) {
  return OpCall<V>("elementwise_mul").input("x", x).input("y", y).result();
}
template <class V>
V elementwise_div(const V& x, const V& y) {
  return OpCall<V>("elementwise_div").input("x", x).input("y", y).result();
}

// scale * x + bias.
template <class V>
V scale(const V& x, double factor, double bias = 0.0) {
  return OpCall<V>("scale").input("x", x).attr("scale", factor).attr("bias", bias).result();
}

// max(x, 0); NaN stays NaN.
template <class V>
V relu(const V& x) {
  return OpCall<V>("relu").input("x", x).result();
}

// Products.

// Matrix products over the last two dimensions; leading dimensions broadcast. A vector operand is
// taken as a row (x) or column (y), and that dimension is dropped from the result. Floating.
template <class V>
V matmul(const V& x, const V& y, bool transpose_x = false, bool transpose_y = false) {
  return OpCall<V>("matmul")
      .input("x", x)
      .input("y", y)
      .attr("transpose_x", transpose_x)
      .attr("transpose_y", transpose_y)
      .result();
}

// The product of x and y, each flattened to a matrix: the first `x_num_col_dims` dimensions of x
// are its rows, the first `y_num_col_dims` of y likewise. The result keeps the unflattened extents.
template <class V>
V mul(const V& x, const V& y, int x_num_col_dims = 1, int y_num_col_dims = 1) {
  return OpCall<V>("mul")
      .input("x", x)
      .input("y", y)
      .attr("x_num_col_dims", static_cast<std::int64_t>(x_num_col_dims))
      .attr("y_num_col_dims", static_cast<std::int64_t>(y_num_col_dims))
      .result();
}

// Convolution and pooling.

struct Conv2dOptions {
  std::vector<std::int64_t> strides{1, 1};
  // [height, width], or [top, bottom, left, right]; not used unless the algorithm is "EXPLICIT".
  std::vector<std::int64_t> paddings{0, 0};
  std::vector<std::int64_t> dilations{1, 1};
  std::int64_t groups = 1;
  // "EXPLICIT"; "VALID": none; "SAME": so that output = ceil(input / stride), the odd one after.
  std::string padding_algorithm = "EXPLICIT";
};

// Cross-correlation. x: [batch, channels, height, width]; filter: [filters, channels / groups,
// height, width]; bias: [filters] or undefined. Floating.
template <class V>
V conv2d(const V& x, const V& filter, const Conv2dOptions& options = {}, const V& bias = {}) {
  return OpCall<V>("conv2d")
      .input("x", x)
      .input("filter", filter)
      .input("bias", bias)
      .attr("strides", options.strides)
      .attr("paddings", options.paddings)
      .attr("dilations", options.dilations)
      .attr("groups", options.groups)
      .attr("padding_algorithm", options.padding_algorithm)
      .result();
}

struct Pool2dOptions {
  std::string pooling_type = "max";  // or "avg"
  std::vector<std::int64_t> ksize{2, 2};
  std::vector<std::int64_t> strides{2, 2};
  std::vector<std::int64_t> paddings{0, 0};  // as in Conv2dOptions
  std::string padding_algorithm = "EXPLICIT";
  bool ceil_mode = false;       // a last window that is only partly inside counts
  bool exclusive = true;        // an average counts only elements inside
  bool global_pooling = false;  // one window over all; ksize and paddings are not used
};

// x: [batch, channels, height, width]. Floating.
template <class V>
V pool2d(const V& x, const Pool2dOptions& options = {}) {
  return OpCall<V>("pool2d")
      .input("x", x)
      .attr("pooling_type", options.pooling_type)
      .attr("ksize", options.ksize)
      .attr("strides", options.strides)
      .attr("paddings", options.paddings)
      .attr("padding_algorithm", options.padding_algorithm)
      .attr("ceil_mode", options.ceil_mode)
      .attr("exclusive", options.exclusive)
      .attr("global_pooling", options.global_pooling)
      .result();
}

// Shape.

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

// Reductions.

// The mean of all elements, of rank 0. Floating.
template <class V>
V mean(const V& x) {
  return OpCall<V>("mean").input("x", x).result();
}

// Sum and mean over `axes` (all of them if empty; negative ones count from the end). The mean is
// for floating dtypes.
template <class V>
V reduce_sum(const V& x, const std::vector<std::int64_t>& axes = {}, bool keep_dim = false) {
  return OpCall<V>("reduce_sum")
      .input("x", x)
      .attr("axes", axes)
      .attr("keep_dim", keep_dim)
      .result();
}
template <class V>
V reduce_mean(const V& x, const std::vector<std::int64_t>& axes = {}, bool keep_dim = false) {
  return OpCall<V>("reduce_mean")
      .input("x", x)
      .attr("axes", axes)
      .attr("keep_dim", keep_dim)
      .result();
}

// The index, int64, of the largest element along `axis`; the first of equal ones, and NaN counts as
// the largest.
template <class V>
V argmax(const V& x, int axis = -1, bool keep_dim = false) {
  return OpCall<V>("argmax")
      .input("x", x)
      .attr("axis", static_cast<std::int64_t>(axis))
      .attr("keep_dim", keep_dim)
      .result();
}

// Losses and metrics.

// exp(x - max) / sum(exp(x - max)) along `axis`. Floating.
template <class V>
V softmax(const V& x, int axis = -1) {
  return OpCall<V>("softmax").input("x", x).attr("axis", static_cast<std::int64_t>(axis)).result();
}

// -log(x[label]) or, with soft labels, -sum(label * log(x)), over the last dimension of the
// probabilities x: [..., classes]. Hard labels: int64 or int32, [..., 1] or [...]; a row whose
// label is `ignore_index` gives 0. Soft labels: like x. Result: [..., 1].
template <class V>
V cross_entropy(const V& x, const V& label, bool soft_label = false,
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
V softmax_with_cross_entropy(const V& logits, const V& label, bool soft_label = false,
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
V accuracy(const V& x, const V& label, int k = 1) {
  return OpCall<V>("accuracy")
      .input("x", x)
      .input("label", label)
      .attr("k", static_cast<std::int64_t>(k))
      .result();
}

// Updates.

// parameter -= learning_rate * gradient, in place; learning_rate: float32 with one element.
template <class V>
V sgd(const V& parameter, const V& gradient, const V& learning_rate) {
  return OpCall<V>("sgd")
      .input("param", parameter)
      .input("grad", gradient)
      .input("learning_rate", learning_rate)
      .result();
}

}  // namespace v0
}  // namespace loci
