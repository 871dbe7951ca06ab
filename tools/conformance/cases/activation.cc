// sigmoid, tanh, gelu, their gradient ops, and the activations of straight lines.
#include <cmath>
#include <limits>
#include <loci/ops.hpp>
#include <loci/plugin/elementwise_functions.hpp>

#include "tools/conformance/activations.h"
#include "tools/conformance/case.h"

namespace loci::conformance {
namespace {

const Shape kShapes[] = {{}, {1}, {0, 3}, {17}, {3, 5}, {2, 1, 3, 2, 1, 2, 1, 2}, {65, 129}};

struct Op {
  const char* name;
  const char* variant;
  Variable (*build)(const Variable&);
  Bounded (*value)(Real);
};

#define LOCI_ROW(op, Function) {#op, "", op<Variable>, op##_of},
constexpr Op kOps[] = {
    LOCI_FLOAT_ACTIVATIONS(LOCI_ROW)  //
    {"gelu", "erf", [](const Variable& x) { return gelu(x); }, gelu_of},
    {"gelu", "tanh", [](const Variable& x) { return gelu(x, true); }, gelu_tanh_of},
};
#undef LOCI_ROW

void put(Expected& out, std::size_t i, const Bounded& value) {
  out.values[i] = value.value;
  out.slack[i] = std::isfinite(value.slack) ? value.slack : 0;
}

std::vector<Expected> reference(const Op& op, const Array& x) {
  Expected out = Expected::bounded(x.dtype, x.shape);
  for (std::size_t i = 0; i < out.size(); ++i) put(out, i, op.value(x.values[i]));
  return {out};
}

Case activation_case(const Op& op, DType dtype, const Shape& shape, const Generator& values,
                     const char* kind = "") {
  const bool smooth = *kind == '\0' && shape.numel() <= 1000;
  return {.op = op.name,
          .variant = std::string(op.variant) + kind,
          .inputs = {{dtype, shape, values}},
          .build = [&op](const Variables& in) { return Variables{op.build(in[0])}; },
          .reference = [&op](const Arrays& in) { return reference(op, in[0]); },
          .differentiate = smooth ? std::vector<std::size_t>{0} : std::vector<std::size_t>{},
          .gradient_slack = 96};
}

// Subtracting from 1 is exact to a roundoff of 1.
Bounded sigmoid_grad_of(Real out, Real out_grad) {
  return {out_grad * out * (1 - out), std::abs(out_grad * out) * (1 + 3 * std::abs(1 - out))};
}

Bounded tanh_grad_of(Real out, Real out_grad) {
  const Real factors = std::abs(1 - out) * std::abs(1 + out);
  return {out_grad * (1 - out * out), std::abs(out_grad) * (2 + 4 * factors + 2 * out * out)};
}

Bounded gelu_grad_of(Real x, Real out_grad) {
  const Real derivative = normal(x) + x * density(x);
  const Real slack = kSmooth * (1 + std::abs(x) * (1 + x * x / 2) * density(x));
  return {out_grad * derivative, std::abs(out_grad) * (slack + std::abs(derivative))};
}

Bounded gelu_tanh_grad_of(Real x, Real out_grad) {
  const Real s = sigmoid_of(gelu_argument(x)).value;
  const Real bend = s * (1 - s) * kGeluTwice * (1 + 3 * kGeluCubic * x * x);
  const Real slack = kSmooth * (1 + std::abs(x * bend) * (1 + std::abs(gelu_argument(x))));
  const Real derivative = s + x * bend;
  return {out_grad * derivative, std::abs(out_grad) * (slack + std::abs(derivative))};
}

struct GradOp {
  const char* name;
  const char* slot;
  bool approximate;
  Bounded (*value)(Real, Real);
  Real low;
  Real high;
};

constexpr GradOp kGradOps[] = {
    {"sigmoid_grad", "out", false, sigmoid_grad_of, 0, 1},
    {"tanh_grad", "out", false, tanh_grad_of, -1, 1},
    {"gelu_grad", "x", false, gelu_grad_of, -5, 5},
    {"gelu_grad", "x", true, gelu_tanh_grad_of, -5, 5},
};

std::vector<Expected> grad_reference(const GradOp& op, const Arrays& in) {
  Expected out = Expected::bounded(in[0].dtype, in[0].shape);
  for (std::size_t i = 0; i < out.size(); ++i) {
    put(out, i, op.value(in[0].values[i], in[1].values[i]));
  }
  return {out};
}

Variables call_grad(const GradOp& op, const Variables& in) {
  OpCall<Variable> call(op.name);
  call.input(op.slot, in[0]).input("out_grad", in[1]);
  if (op.approximate) call.attr("approximate", true);
  return call.results();
}

// Gradients of gradients, too: with respect to both inputs.
Case grad_case(const GradOp& op, DType dtype, const Shape& shape) {
  const bool small = shape.numel() <= 1000;
  return {.op = op.name,
          .variant = op.approximate ? "tanh" : "",
          .inputs = {{dtype, shape, uniform(op.low, op.high)}, {dtype, shape, uniform(-1, 1)}},
          .build = [&op](const Variables& in) { return call_grad(op, in); },
          .reference = [&op](const Arrays& in) { return grad_reference(op, in); },
          .differentiate = small ? std::vector<std::size_t>{0, 1} : std::vector<std::size_t>{},
          .gradient_slack = 512};
}

Generator special(DType dtype) {
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  const Precision has = precision(dtype);
  const Real largest = std::ldexp(2 - 2 * has.roundoff(), has.max_exponent);
  return cycle({0, -0.0L, kInfinity, -kInfinity, std::nanl(""), has.smallest(), -has.smallest(),
                largest, -largest, 1, -1});
}

}  // namespace

void add_activation_cases(Suite& suite) {
  for (const DType dtype : kFloatTypes) {
    for (const Op& op : kOps) {
      for (const Shape& shape : kShapes) {
        suite.add(activation_case(op, dtype, shape, uniform(-3, 3)));
      }
      suite.add(activation_case(op, dtype, {1031}, uniform(-60, 60), ", wide"));
      suite.add(activation_case(op, dtype, {331}, uniform(-1e-3L, 1e-3L), ", near 0"));
      suite.add(activation_case(op, dtype, {22}, special(dtype), ", special"));
    }
    for (const GradOp& op : kGradOps) {
      for (const Shape& shape : kShapes) suite.add(grad_case(op, dtype, shape));
    }
  }
}

}  // namespace loci::conformance
