// Comparisons, logic and choice. See loci/ops.hpp for what holds for every op.
#pragma once

#include <loci/op_call.hpp>

namespace loci {
inline namespace v0 {

// Compare element by element with broadcasting; both have one dtype, any. Result: bool. IEEE 754
// says how floating elements compare: NaN is not equal to anything, nor less, nor greater.
// false < true.
template <class V>
LOCI_OP V equal(const V& x, const V& y) {
  return OpCall<V>("equal").input("x", x).input("y", y).result();
}
template <class V>
LOCI_OP V not_equal(const V& x, const V& y) {
  return OpCall<V>("not_equal").input("x", x).input("y", y).result();
}
template <class V>
LOCI_OP V less_than(const V& x, const V& y) {
  return OpCall<V>("less_than").input("x", x).input("y", y).result();
}
template <class V>
LOCI_OP V less_equal(const V& x, const V& y) {
  return OpCall<V>("less_equal").input("x", x).input("y", y).result();
}
template <class V>
LOCI_OP V greater_than(const V& x, const V& y) {
  return OpCall<V>("greater_than").input("x", x).input("y", y).result();
}
template <class V>
LOCI_OP V greater_equal(const V& x, const V& y) {
  return OpCall<V>("greater_equal").input("x", x).input("y", y).result();
}

// Logical ops take bool and give bool, with broadcasting. Compare numbers with 0 to make them bool.
template <class V>
LOCI_OP V logical_and(const V& x, const V& y) {
  return OpCall<V>("logical_and").input("x", x).input("y", y).result();
}
template <class V>
LOCI_OP V logical_or(const V& x, const V& y) {
  return OpCall<V>("logical_or").input("x", x).input("y", y).result();
}
template <class V>
LOCI_OP V logical_xor(const V& x, const V& y) {
  return OpCall<V>("logical_xor").input("x", x).input("y", y).result();
}
template <class V>
LOCI_OP V logical_not(const V& x) {
  return OpCall<V>("logical_not").input("x", x).result();
}

// x where condition (bool) holds, else y; all three broadcast, x and y have one dtype, any. What is
// not chosen does not matter, NaN neither, and gets a gradient of 0.
template <class V>
LOCI_OP V where(const V& condition, const V& x, const V& y) {
  return OpCall<V>("where").input("condition", condition).input("x", x).input("y", y).result();
}

}  // namespace v0
}  // namespace loci
