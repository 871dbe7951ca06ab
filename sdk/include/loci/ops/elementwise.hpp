// Functions of each element. See loci/ops.hpp for what holds for every op.
#pragma once

#include <loci/dtype.hpp>
#include <loci/op_call.hpp>
#include <vector>

namespace loci {
inline namespace v0 {

// A copy.
template <class V>
LOCI_OP V assign(const V& x) {
  return OpCall<V>("assign").input("x", x).result();
}

// Converts each element: to an integer towards zero, to bool by != 0.
template <class V>
LOCI_OP V cast(const V& x, DType dtype) {
  return OpCall<V>("cast").input("x", x).attr("dtype", dtype).result();
}

// x + y, x - y, x * y, x / y with broadcasting; both have one dtype. Integers wrap; their division
// truncates, and gives 0 for a divisor of 0.
template <class V>
LOCI_OP V elementwise_add(const V& x, const V& y) {
  return OpCall<V>("elementwise_add").input("x", x).input("y", y).result();
}
template <class V>
LOCI_OP V elementwise_sub(const V& x, const V& y) {
  return OpCall<V>("elementwise_sub").input("x", x).input("y", y).result();
}
template <class V>
LOCI_OP V elementwise_mul(const V& x, const V& y) {
  return OpCall<V>("elementwise_mul").input("x", x).input("y", y).result();
}
template <class V>
LOCI_OP V elementwise_div(const V& x, const V& y) {
  return OpCall<V>("elementwise_div").input("x", x).input("y", y).result();
}

// max(x, y) and min(x, y) with broadcasting. NaN in either gives NaN; equal ones share the gradient
// half and half.
template <class V>
LOCI_OP V elementwise_max(const V& x, const V& y) {
  return OpCall<V>("elementwise_max").input("x", x).input("y", y).result();
}
template <class V>
LOCI_OP V elementwise_min(const V& x, const V& y) {
  return OpCall<V>("elementwise_min").input("x", x).input("y", y).result();
}

// x^y with broadcasting. Floating: as std::pow, so that x^0 is 1 for every x, and a negative x with
// a broken y gives NaN. Integers wrap; a negative y gives what 1 / x^-y truncates to, 0 if x is 0.
template <class V>
LOCI_OP V elementwise_pow(const V& x, const V& y) {
  return OpCall<V>("elementwise_pow").input("x", x).input("y", y).result();
}

// x - y floor(x / y), exactly, with broadcasting: the remainder with the sign of y. Integers: x mod
// 0 is 0. Floating: NaN if y is 0 or x infinite; a finite x and an infinite y of the other sign
// give y.
template <class V>
LOCI_OP V elementwise_mod(const V& x, const V& y) {
  return OpCall<V>("elementwise_mod").input("x", x).input("y", y).result();
}

// The sum of one or more values of one shape and dtype, numbers; rounded once if they are 16-bit.
template <class V>
LOCI_OP V sum(const std::vector<V>& x) {
  return OpCall<V>("sum").inputs_of("x", x).result();
}

// scale * x + bias.
template <class V>
LOCI_OP V scale(const V& x, double factor, double bias = 0.0) {
  return OpCall<V>("scale").input("x", x).attr("scale", factor).attr("bias", bias).result();
}

// max(x, 0); NaN stays NaN.
template <class V>
LOCI_OP V relu(const V& x) {
  return OpCall<V>("relu").input("x", x).result();
}

}  // namespace v0
}  // namespace loci
