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

// Floating, to a whole number: down, up, and to the nearest, halves to the even one. Gradients
// stop.
template <class V>
LOCI_OP V floor(const V& x) {
  return OpCall<V>("floor").input("x", x).result();
}
template <class V>
LOCI_OP V ceil(const V& x) {
  return OpCall<V>("ceil").input("x", x).result();
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
