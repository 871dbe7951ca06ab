// Updates of parameters, as optimizers make them. See loci/ops.hpp for what holds for every op.
#pragma once

#include <loci/op_call.hpp>

namespace loci {
inline namespace v0 {

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
