// Functions of one number. See loci/ops.hpp for what holds for every op.
#pragma once

#include <loci/op_call.hpp>

namespace loci {
inline namespace v0 {

// All keep shape and dtype; NaN stays NaN.

// Floating. log and sqrt of what is below 0 are NaN; log(0) is -inf and rsqrt(0) is inf.
template <class V>
LOCI_OP V exp(const V& x) {
  return OpCall<V>("exp").input("x", x).result();
}
// The natural logarithm.
template <class V>
LOCI_OP V log(const V& x) {
  return OpCall<V>("log").input("x", x).result();
}
template <class V>
LOCI_OP V sqrt(const V& x) {
  return OpCall<V>("sqrt").input("x", x).result();
}
// 1 / sqrt(x).
template <class V>
LOCI_OP V rsqrt(const V& x) {
  return OpCall<V>("rsqrt").input("x", x).result();
}

// 2 to the power x, and the logarithm to the base 2: NaN below 0, and -inf at 0. Those of whole
// numbers and powers of two are exact.
template <class V>
LOCI_OP V exp2(const V& x) {
  return OpCall<V>("exp2").input("x", x).result();
}
template <class V>
LOCI_OP V log2(const V& x) {
  return OpCall<V>("log2").input("x", x).result();
}
// e^x - 1 and log(1 + x), which keep the digits of small results. log1p is NaN below -1, and -inf
// at -1.
template <class V>
LOCI_OP V expm1(const V& x) {
  return OpCall<V>("expm1").input("x", x).result();
}
template <class V>
LOCI_OP V log1p(const V& x) {
  return OpCall<V>("log1p").input("x", x).result();
}
// 1 / x, rounded once; infinite at 0, with its sign.
template <class V>
LOCI_OP V reciprocal(const V& x) {
  return OpCall<V>("reciprocal").input("x", x).result();
}

// Floating. Of angles in radians, however large; NaN at the infinities.
template <class V>
LOCI_OP V sin(const V& x) {
  return OpCall<V>("sin").input("x", x).result();
}
template <class V>
LOCI_OP V cos(const V& x) {
  return OpCall<V>("cos").input("x", x).result();
}
template <class V>
LOCI_OP V tan(const V& x) {
  return OpCall<V>("tan").input("x", x).result();
}
// Angles in radians: asin and atan from -pi / 2 to pi / 2, acos from 0 to pi. asin and acos are NaN
// beyond -1 and 1.
template <class V>
LOCI_OP V asin(const V& x) {
  return OpCall<V>("asin").input("x", x).result();
}
template <class V>
LOCI_OP V acos(const V& x) {
  return OpCall<V>("acos").input("x", x).result();
}
template <class V>
LOCI_OP V atan(const V& x) {
  return OpCall<V>("atan").input("x", x).result();
}

// Floating. (e^x - e^-x) / 2 and (e^x + e^-x) / 2; infinite where that is too large for the dtype.
template <class V>
LOCI_OP V sinh(const V& x) {
  return OpCall<V>("sinh").input("x", x).result();
}
template <class V>
LOCI_OP V cosh(const V& x) {
  return OpCall<V>("cosh").input("x", x).result();
}
// Their inverses and that of tanh: log(x + sqrt(x^2 + 1)), log(x + sqrt(x^2 - 1)), which is NaN
// below 1, and log((1 + x) / (1 - x)) / 2, which is infinite at -1 and 1 and NaN beyond.
template <class V>
LOCI_OP V asinh(const V& x) {
  return OpCall<V>("asinh").input("x", x).result();
}
template <class V>
LOCI_OP V acosh(const V& x) {
  return OpCall<V>("acosh").input("x", x).result();
}
template <class V>
LOCI_OP V atanh(const V& x) {
  return OpCall<V>("atanh").input("x", x).result();
}

// 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x; -1 and 1 at the infinities.
template <class V>
LOCI_OP V erf(const V& x) {
  return OpCall<V>("erf").input("x", x).result();
}

// Numbers. Integers wrap: abs of the lowest one is itself. The gradient of abs at 0 is 0.
template <class V>
LOCI_OP V abs(const V& x) {
  return OpCall<V>("abs").input("x", x).result();
}
template <class V>
LOCI_OP V square(const V& x) {
  return OpCall<V>("square").input("x", x).result();
}
// -1, 0 or 1. Gradients stop.
template <class V>
LOCI_OP V sign(const V& x) {
  return OpCall<V>("sign").input("x", x).result();
}

// Floating, to a whole number: down, up, towards 0, and to the nearest, halves to the even one.
// Gradients stop.
template <class V>
LOCI_OP V floor(const V& x) {
  return OpCall<V>("floor").input("x", x).result();
}
template <class V>
LOCI_OP V ceil(const V& x) {
  return OpCall<V>("ceil").input("x", x).result();
}
template <class V>
LOCI_OP V trunc(const V& x) {
  return OpCall<V>("trunc").input("x", x).result();
}
template <class V>
LOCI_OP V round(const V& x) {
  return OpCall<V>("round").input("x", x).result();
}

// min(max(x, min), max) for min <= max, numbers. Of an integer dtype the whole numbers within the
// range count, of which it has to have one, and ends that it does not have are its own. Where
// min <= x <= max the gradient passes, elsewhere it is 0.
template <class V>
LOCI_OP V clip(const V& x, double min, double max) {
  return OpCall<V>("clip").input("x", x).attr("min", min).attr("max", max).result();
}

}  // namespace v0
}  // namespace loci
