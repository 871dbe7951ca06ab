// assign, scale, relu, relu_grad.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <loci/ops.hpp>

#include "tools/conformance/case.h"

namespace loci::conformance {
namespace {

const Shape kUnaryShapes[] = {{}, {1}, {0, 3}, {17}, {3, 5}, {2, 1, 3, 2, 1, 2, 1, 2}, {129, 257}};

using Map = Real (*)(Real);

std::vector<Expected> map(const Array& x, Map function) {
  Expected out = Expected::exact(x.dtype, x.shape);
  std::transform(x.values.begin(), x.values.end(), out.values.begin(), function);
  return {out};
}

Real same(Real x) { return x; }
Real positive_part(Real x) { return x < 0 ? 0 : x; }

std::vector<std::size_t> differentiate(const Shape& shape, std::size_t input = 0) {
  return shape.numel() > 1000 ? std::vector<std::size_t>{} : std::vector{input};
}

Case assign_case(DType dtype, const Shape& shape, const Generator& values, const char* variant) {
  const bool smooth = *variant == '\0';
  return {.op = "assign",
          .variant = variant,
          .inputs = {{dtype, shape, values}},
          .build = [](const Variables& in) { return Variables{assign(in[0])}; },
          .reference = [](const Arrays& in) { return map(in[0], same); },
          .differentiate = smooth ? differentiate(shape) : std::vector<std::size_t>{}};
}

Case relu_case(DType dtype, const Shape& shape, const Generator& values, const char* variant) {
  const bool smooth = *variant == '\0';
  return {.op = "relu",
          .variant = variant,
          .inputs = {{dtype, shape, values}},
          .build = [](const Variables& in) { return Variables{relu(in[0])}; },
          .reference = [](const Arrays& in) { return map(in[0], positive_part); },
          .differentiate = smooth ? differentiate(shape) : std::vector<std::size_t>{}};
}

// out_grad where out > 0; out as relu gives it, and with negative numbers.
Case relu_grad_case(DType dtype, const Shape& shape) {
  return {.op = "relu_grad",
          .inputs = {{dtype, shape, cycle({0, 1, -2, 0.5L, 0, 3, 1e-3L})},
                     {dtype, shape, uniform(-1, 1)}},
          .build =
              [](const Variables& in) {
                return OpCall<Variable>("relu_grad")
                    .input("out", in[0])
                    .input("out_grad", in[1])
                    .results();
              },
          .reference =
              [](const Arrays& in) {
                std::vector<Expected> out = map(in[1], same);
                for (std::size_t i = 0; i < in[0].size(); ++i) {
                  if (!(in[0].values[i] > 0)) out[0].values[i] = 0;
                }
                return out;
              },
          .differentiate = differentiate(shape, 1)};
}

// Floating: two products' worth of rounding, that of the factor to the dtype included, and a sum's.
// Integers with whole factors: exact.
std::vector<Expected> scale_reference(const Array& x, double factor, double bias) {
  Expected out = is_floating(x.dtype) ? Expected::bounded(x.dtype, x.shape)
                                      : Expected::exact(x.dtype, x.shape);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Real product = factor * x.values[i];
    out.values[i] = product + bias;
    if (!out.slack.empty()) {
      out.slack[i] = 2 * std::abs(product) + std::abs(Real{bias}) + std::abs(out.values[i]);
    }
  }
  return {out};
}

Case scale_case(DType dtype, const Shape& shape, double factor, double bias) {
  return {.op = "scale",
          .variant = fmt::format("{}x+{}", factor, bias),
          .inputs = {{dtype, shape, is_floating(dtype) ? uniform(-2, 2) : integers(0, 30)}},
          .build = [=](const Variables& in) { return Variables{scale(in[0], factor, bias)}; },
          .reference = [=](const Arrays& in) { return scale_reference(in[0], factor, bias); },
          .differentiate = is_floating(dtype) ? differentiate(shape) : std::vector<std::size_t>{}};
}

void add_special_values(Suite& suite, DType dtype) {
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  const Real small = precision(dtype).smallest();
  const Generator special = cycle({0, kInfinity, -kInfinity, std::nanl(""), small, -small, 1, -1});
  suite.add(assign_case(dtype, {3, 8}, special, "special"));
  suite.add(relu_case(dtype, {3, 8}, special, "special"));
}

// 64-bit integers that a detour over float64 would change.
void add_long_integers(Suite& suite) {
  const Real large = std::ldexp(Real{1}, 62);
  suite.add(assign_case(kInt64, {6}, cycle({large - 1, 1 - large, large + 1}), "long"));
  suite.add(assign_case(kUInt64, {6}, cycle({4 * large - 1, 2 * large + 1}), "long"));
  suite.add(relu_case(kInt64, {6}, cycle({large - 1, 1 - large, large + 1}), "long"));
}

}  // namespace

void add_elementwise_unary_cases(Suite& suite) {
  for (const Shape& shape : kUnaryShapes) {
    for (const DType dtype : kAllTypes) {
      const bool unsigned_values = is_unsigned(dtype);
      const Generator values =
          is_floating(dtype) ? distinct(0.0625L) : integers(unsigned_values ? 0 : -100, 100);
      suite.add(assign_case(dtype, shape, values, ""));
      if (dtype != kBool) suite.add(relu_case(dtype, shape, values, ""));
      if (dtype != kBool) suite.add(scale_case(dtype, shape, 3, 2));
      if (!is_floating(dtype)) continue;
      suite.add(scale_case(dtype, shape, -0.3, 0.7));
      suite.add(relu_grad_case(dtype, shape));
    }
  }
  suite.add(relu_grad_case(kFloat32, {2, 17, 9, 11}));  // so large that it is laid out
  for (const DType dtype : kFloatTypes) add_special_values(suite, dtype);
  add_long_integers(suite);
}

}  // namespace loci::conformance
