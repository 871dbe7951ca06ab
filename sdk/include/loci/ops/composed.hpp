// Functions of several ops, by the names that the field has for them. See loci/ops.hpp for what
// holds for every op. Elementwise ones become one kernel where a program is compiled.
#pragma once

#include <cstdint>
#include <limits>
#include <loci/op_call.hpp>
#include <loci/ops/comparison.hpp>
#include <loci/ops/elementwise.hpp>
#include <loci/ops/parts.hpp>
#include <loci/ops/reduction.hpp>
#include <loci/ops/shape.hpp>
#include <loci/ops/unary_math.hpp>
#include <vector>

namespace loci {
inline namespace v0 {

// Kinds of floating numbers, element by element, as bool. Numbers of other dtypes are finite.
template <class V>
LOCI_OP V isnan(const V& x) {
  return not_equal(x, x);
}
template <class V>
LOCI_OP V isfinite(const V& x) {
  const V none = elementwise_sub(x, x);  // NaN for infinities and NaN, else 0
  return equal(none, none);
}
template <class V>
LOCI_OP V isinf(const V& x) {
  const V none = elementwise_sub(x, x);
  return logical_and(equal(x, x), not_equal(none, none));
}

// True where some, or all, of the elements over `axes` are other than 0 (all axes if empty;
// negative ones count from the end). NaN is other than 0. Of no elements any() is false and all()
// true. Result: bool.
template <class V>
LOCI_OP V any(const V& x, const std::vector<std::int64_t>& axes = {}, bool keep_dim = false) {
  return cast(reduce_sum(cast(cast(x, kBool), kInt64), axes, keep_dim), kBool);
}
template <class V>
LOCI_OP V all(const V& x, const std::vector<std::int64_t>& axes = {}, bool keep_dim = false) {
  const V lacking = logical_not(cast(x, kBool));
  return logical_not(cast(reduce_sum(cast(lacking, kInt64), axes, keep_dim), kBool));
}

// The elements in reverse order along each of `axes`, which may not be empty.
template <class V>
LOCI_OP V flip(const V& x, const std::vector<std::int64_t>& axes) {
  const std::vector<std::int64_t> from_the_end(axes.size(), -1);
  const std::vector<std::int64_t> before_the_first(axes.size(),
                                                   std::numeric_limits<std::int64_t>::min());
  return slice(x, axes, from_the_end, before_the_first, from_the_end);
}

namespace detail {

// min(x, 0). NaN stays NaN; the gradient passes where x <= 0.
template <class V>
V negative_part(const V& x) {
  return clip(x, -std::numeric_limits<double>::infinity(), 0.0);
}

}  // namespace detail

// x where it is positive, else negative_slope * x. The slope at 0 is negative_slope. Floating.
template <class V>
LOCI_OP V leaky_relu(const V& x, double negative_slope = 0.01) {
  return elementwise_add(relu(x), scale(detail::negative_part(x), negative_slope));
}

// leaky_relu() with a slope that is learnt: `weight` has one element, or one for each channel of x,
// [batch, channels, ...] (He et al., arXiv:1502.01852).
template <class V>
LOCI_OP V prelu(const V& x, const V& weight) {
  const auto rank = static_cast<std::size_t>(x.shape().rank());
  std::vector<std::int64_t> shape(rank < 2 ? 1 : rank, 1);
  shape[rank < 2 ? 0 : 1] = -1;
  const V slopes = reshape(weight, shape);
  return elementwise_add(relu(x), elementwise_mul(slopes, detail::negative_part(x)));
}

// x where it is positive, else alpha (e^x - 1) (Clevert et al., arXiv:1511.07289). Floating.
template <class V>
LOCI_OP V elu(const V& x, double alpha = 1.0) {
  return elementwise_add(relu(x), scale(expm1(detail::negative_part(x)), alpha));
}

// max(x, 0) + min(0, alpha (e^(x / alpha) - 1)) (Barron, arXiv:1704.07483). alpha must be positive.
template <class V>
LOCI_OP V celu(const V& x, double alpha = 1.0) {
  const V below = expm1(scale(detail::negative_part(x), 1 / alpha));
  return elementwise_add(relu(x), scale(below, alpha));
}

// 1.0507 elu(x, 1.6733), the fixed point of which has mean 0 and variance 1 (Klambauer et al.,
// arXiv:1706.02515).
template <class V>
LOCI_OP V selu(const V& x) {
  constexpr double kAlpha = 1.6732632423543772848170429916717;
  constexpr double kScale = 1.0507009873554804934193349852946;
  return elementwise_add(scale(relu(x), kScale),
                         scale(expm1(detail::negative_part(x)), kScale * kAlpha));
}

}  // namespace v0
}  // namespace loci
