// Activations other than relu. See loci/ops.hpp for what holds for every op.
#pragma once

#include <loci/op_call.hpp>

namespace loci {
inline namespace v0 {

// All take floating dtypes and keep the shape; NaN stays NaN.

// 1 / (1 + e^-x).
template <class V>
LOCI_OP V sigmoid(const V& x) {
  return OpCall<V>("sigmoid").input("x", x).result();
}

template <class V>
LOCI_OP V tanh(const V& x) {
  return OpCall<V>("tanh").input("x", x).result();
}

// x P(x), where P is the standard normal distribution: (1 + erf(x / sqrt(2))) / 2, or, approximate,
// (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2 (Hendrycks and Gimpel, arXiv:1606.08415). -inf
// gives 0.
template <class V>
LOCI_OP V gelu(const V& x, bool approximate = false) {
  return OpCall<V>("gelu").input("x", x).attr("approximate", approximate).result();
}

// (x + 3) / 6, not below 0 and not above 1: a sigmoid of three straight lines (Howard et al.,
// arXiv:1905.02244).
template <class V>
LOCI_OP V hard_sigmoid(const V& x) {
  return OpCall<V>("hard_sigmoid").input("x", x).result();
}

// x hard_sigmoid(x). -inf gives 0.
template <class V>
LOCI_OP V hard_swish(const V& x) {
  return OpCall<V>("hard_swish").input("x", x).result();
}

// x tanh(log(1 + e^x)) (Misra, arXiv:1908.08681). -inf gives 0.
template <class V>
LOCI_OP V mish(const V& x) {
  return OpCall<V>("mish").input("x", x).result();
}

// x sigmoid(x) = x / (1 + e^-x), also called swish (Elfwing et al., arXiv:1702.03118). -inf gives
// 0.
template <class V>
LOCI_OP V silu(const V& x) {
  return OpCall<V>("silu").input("x", x).result();
}

// log(1 + e^x), which keeps the digits of small results and does not overflow. -inf gives 0.
template <class V>
LOCI_OP V softplus(const V& x) {
  return OpCall<V>("softplus").input("x", x).result();
}

// x / (1 + |x|); -1 and 1 at the infinities.
template <class V>
LOCI_OP V softsign(const V& x) {
  return OpCall<V>("softsign").input("x", x).result();
}

}  // namespace v0
}  // namespace loci
