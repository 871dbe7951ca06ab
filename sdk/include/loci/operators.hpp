// Operators of C++ on tensors and variables: x + y, 2 * x, -x, x < y, ...
#pragma once

#include <loci/ops/comparison.hpp>
#include <loci/ops/creation.hpp>
#include <loci/ops/elementwise.hpp>
#include <loci/program.hpp>
#include <loci/tensor.hpp>
#include <type_traits>

namespace loci {
inline namespace v0 {

// With broadcasting; both have one dtype.
template <class V, IfTensorOrVariable<V> = 0>
LOCI_OP_ALIAS V operator+(const V& x, const V& y) {
  return elementwise_add(x, y);
}
template <class V, IfTensorOrVariable<V> = 0>
LOCI_OP_ALIAS V operator-(const V& x, const V& y) {
  return elementwise_sub(x, y);
}
template <class V, IfTensorOrVariable<V> = 0>
LOCI_OP_ALIAS V operator*(const V& x, const V& y) {
  return elementwise_mul(x, y);
}
template <class V, IfTensorOrVariable<V> = 0>
LOCI_OP_ALIAS V operator/(const V& x, const V& y) {
  return elementwise_div(x, y);
}

// With a number, which takes the dtype of x. Throws Error(kInvalidArgument) for one that an integer
// dtype would cut, such as 0.5, or does not have, such as 300 for int8.
template <class V, IfTensorOrVariable<V> = 0>
LOCI_OP_ALIAS V operator+(const V& x, double y) {
  return scale(x, 1.0, number_in(x.dtype(), "+", y));
}
template <class V, IfTensorOrVariable<V> = 0>
LOCI_OP_ALIAS V operator+(double x, const V& y) {
  return scale(y, 1.0, number_in(y.dtype(), "+", x));
}
template <class V, IfTensorOrVariable<V> = 0>
LOCI_OP_ALIAS V operator-(const V& x, double y) {
  return scale(x, 1.0, -number_in(x.dtype(), "-", y));
}
template <class V, IfTensorOrVariable<V> = 0>
LOCI_OP_ALIAS V operator-(double x, const V& y) {
  return scale(y, -1.0, number_in(y.dtype(), "-", x));
}
template <class V, IfTensorOrVariable<V> = 0>
LOCI_OP_ALIAS V operator*(const V& x, double y) {
  return scale(x, number_in(x.dtype(), "*", y));
}
template <class V, IfTensorOrVariable<V> = 0>
LOCI_OP_ALIAS V operator*(double x, const V& y) {
  return scale(y, number_in(y.dtype(), "*", x));
}
template <class V, IfTensorOrVariable<V> = 0>
LOCI_OP_ALIAS V operator/(const V& x, double y) {
  return elementwise_div(x, full_like(x, number_in(x.dtype(), "/", y)));
}
template <class V, IfTensorOrVariable<V> = 0>
LOCI_OP_ALIAS V operator/(double x, const V& y) {
  return elementwise_div(full_like(y, number_in(y.dtype(), "/", x)), y);
}
template <class V, IfTensorOrVariable<V> = 0>
LOCI_OP_ALIAS V operator-(const V& x) {
  return scale(x, -1.0);
}

// Comparisons give a bool for each element.
template <class V, IfTensorOrVariable<V> = 0>
LOCI_OP_ALIAS V operator<(const V& x, const V& y) {
  return less_than(x, y);
}
template <class V, IfTensorOrVariable<V> = 0>
LOCI_OP_ALIAS V operator<=(const V& x, const V& y) {
  return less_equal(x, y);
}
template <class V, IfTensorOrVariable<V> = 0>
LOCI_OP_ALIAS V operator>(const V& x, const V& y) {
  return greater_than(x, y);
}
template <class V, IfTensorOrVariable<V> = 0>
LOCI_OP_ALIAS V operator>=(const V& x, const V& y) {
  return greater_equal(x, y);
}

// In place.
LOCI_OP_ALIAS const Tensor& operator+=(const Tensor& x, const Tensor& y) { return x.add_(y); }
LOCI_OP_ALIAS const Tensor& operator-=(const Tensor& x, const Tensor& y) { return x.sub_(y); }
LOCI_OP_ALIAS const Tensor& operator*=(const Tensor& x, const Tensor& y) { return x.mul_(y); }
LOCI_OP_ALIAS const Tensor& operator/=(const Tensor& x, const Tensor& y) { return x.div_(y); }

}  // namespace v0
}  // namespace loci
