// Updates of parameters, as optimizers make them: the first argument changes in place, and so does
// the state after the gradient; both must be persistable. See loci/ops.hpp for what holds for every
// op.
//
// A gradient has the shape of the parameter; or, if `rows` (int32 or int64, [n]) is given, it is
// row-sparse: [n, ...], and its row i is that of row rows[i] of the parameter. Rows that occur
// several times are summed first; a row outside the parameter is an error when the program runs.
// learning_rate: float32 with one element. State is float64 for float64 parameters, else float32.
#pragma once

#include <cstdint>
#include <loci/op_call.hpp>

namespace loci {
inline namespace v0 {

// parameter -= learning_rate * gradient. Returns the parameter.
template <class V>
LOCI_OP V sgd(const V& parameter, const V& gradient, const V& learning_rate, const V& rows = {}) {
  return OpCall<V>("sgd")
      .input("param", parameter)
      .input("grad", gradient)
      .input("learning_rate", learning_rate)
      .input("rows", rows)
      .result();
}

// velocity = mu * velocity + gradient; parameter -= learning_rate * velocity, or with use_nesterov
// learning_rate * (gradient + mu * velocity). With rows, lazy_mode leaves the velocity of rows that
// do not occur as it is; otherwise they see a gradient of 0. Returns the parameter.
template <class V>
LOCI_OP V momentum(const V& parameter, const V& gradient, const V& velocity, const V& learning_rate,
                   double mu = 0.9, bool use_nesterov = false, bool lazy_mode = false,
                   const V& rows = {}) {
  return OpCall<V>("momentum")
      .input("param", parameter)
      .input("grad", gradient)
      .input("velocity", velocity)
      .input("learning_rate", learning_rate)
      .input("rows", rows)
      .attr("mu", mu)
      .attr("use_nesterov", use_nesterov)
      .attr("lazy_mode", lazy_mode)
      .result();
}

struct AdamUpdate {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0.0;
  bool lazy_mode = false;
};

// With t = step + 1, step an int64 with one element that increment() advances:
//   moment1 = beta1 * moment1 + (1 - beta1) * gradient
//   moment2 = beta2 * moment2 + (1 - beta2) * gradient^2
//   parameter -= learning_rate * (weight_decay * parameter +
//                moment1 / (1 - beta1^t) / (sqrt(moment2 / (1 - beta2^t)) + epsilon))
// lazy_mode as in momentum(). Returns the parameter.
template <class V>
LOCI_OP V adam(const V& parameter, const V& gradient, const V& moment1, const V& moment2,
               const V& step, const V& learning_rate, const AdamUpdate& options = {},
               const V& rows = {}) {
  return OpCall<V>("adam")
      .input("param", parameter)
      .input("grad", gradient)
      .input("moment1", moment1)
      .input("moment2", moment2)
      .input("step", step)
      .input("learning_rate", learning_rate)
      .input("rows", rows)
      .attr("beta1", options.beta1)
      .attr("beta2", options.beta2)
      .attr("epsilon", options.epsilon)
      .attr("weight_decay", options.weight_decay)
      .attr("lazy_mode", options.lazy_mode)
      .result();
}

// x += step in place; x: int64 with one element. Returns x.
template <class V>
LOCI_OP V increment(const V& x, std::int64_t step = 1) {
  return OpCall<V>("increment").input("x", x).attr("step", step).result();
}

}  // namespace v0
}  // namespace loci
