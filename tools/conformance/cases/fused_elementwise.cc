// fused_elementwise.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <loci/ops.hpp>

#include "tools/conformance/activations.h"
#include "tools/conformance/broadcast.h"
#include "tools/conformance/case.h"

namespace loci::conformance {
namespace {

using Integers = std::vector<std::int64_t>;

// The op's attributes.
struct Expression {
  std::vector<std::string> ops;
  Integers operands;
  std::vector<DType> dtypes;
  std::vector<double> constants;
  Integers results;
};

Variables fused(const Expression& expression, const Variables& in) {
  Integers dtypes;
  for (const DType dtype : expression.dtypes) dtypes.push_back(static_cast<std::int64_t>(dtype));
  return OpCall<Variable>("fused_elementwise")
      .inputs_of("x", in)
      .attr("ops", expression.ops)
      .attr("operands", expression.operands)
      .attr("dtypes", dtypes)
      .attr("constants", expression.constants)
      .attr("results", expression.results)
      .results();
}

// Arithmetic whose results are rounded to a dtype.
class Rounded {
 public:
  explicit Rounded(DType dtype)
      : unit_(precision(dtype).roundoff() / compute_precision(dtype).roundoff()) {}

  [[nodiscard]] Bounded exact(Real value) const { return {value, 0}; }
  [[nodiscard]] Bounded add(const Bounded& x, const Bounded& y) const {
    return rounded({x.value + y.value, x.slack + y.slack + std::abs(x.value + y.value)});
  }
  [[nodiscard]] Bounded mul(const Bounded& x, const Bounded& y) const {
    return rounded({x.value * y.value, std::abs(x.value) * y.slack + std::abs(y.value) * x.slack +
                                           std::abs(x.value * y.value)});
  }
  // The constants are rounded too.
  [[nodiscard]] Bounded scale(const Bounded& x, Real factor, Real bias) const {
    const Real product = factor * x.value;
    return rounded({product + bias, std::abs(factor) * x.slack + 2 * std::abs(product) +
                                        std::abs(bias) + std::abs(product + bias)});
  }
  // No activation is steeper than 1.5.
  [[nodiscard]] Bounded apply(const std::string& activation, const Bounded& x) const {
    return rounded(activated(activation, x));
  }

  // Nowhere steeper than 2 / sqrt(pi).
  [[nodiscard]] Bounded erf(const Bounded& x) const {
    const Real value = std::erf(x.value);
    return rounded({value, kSmooth * std::abs(value) + 1.13L * x.slack});
  }

 private:
  // Results between steps are rounded as those of outputs are.
  [[nodiscard]] Bounded rounded(Bounded x) const {
    if (unit_ > 1) x.slack += 1.01L * unit_ * std::abs(x.value);
    return x;
  }

  Real unit_;  // the dtype's roundoff in those of the arithmetic
};

// Computes, from one element of each input, the elements of the outputs.
using Element = std::function<std::vector<Bounded>(const std::vector<Real>&)>;

std::vector<Expected> each_element(const Arrays& in, const std::vector<DType>& dtypes,
                                   const Element& element) {
  Shape shape = in[0].shape;
  for (const Array& input : in) shape = broadcast_shape(shape, input.shape);
  std::vector<Expected> out;
  out.reserve(dtypes.size());
  for (const DType dtype : dtypes) {
    out.push_back(is_floating(dtype) ? Expected::bounded(dtype, shape)
                                     : Expected::exact(dtype, shape));
  }
  std::vector<Real> values(in.size());
  for (std::size_t i = 0; i < out[0].size(); ++i) {
    const Index index = index_of(shape, i);
    for (std::size_t v = 0; v < in.size(); ++v) {
      values[v] = in[v].at(broadcast_index(in[v].shape, index));
    }
    const std::vector<Bounded> results = element(values);
    for (std::size_t o = 0; o < out.size(); ++o) {
      out[o].values[i] = results[o].value;
      if (!out[o].slack.empty()) out[o].slack[i] = results[o].slack;
    }
  }
  return out;
}

Case fused_case(const char* variant, DType dtype, const std::vector<Shape>& shapes,
                const Expression& expression, const Element& element) {
  Case result;
  result.op = "fused_elementwise";
  result.variant = variant;
  for (const Shape& shape : shapes) result.inputs.push_back({dtype, shape, uniform(-2, 2)});
  result.build = [=](const Variables& in) { return fused(expression, in); };
  const auto inputs = static_cast<std::int64_t>(shapes.size());
  std::vector<DType> dtypes;
  for (const std::int64_t value : expression.results) {
    dtypes.push_back(expression.dtypes[static_cast<std::size_t>(value - inputs)]);
  }
  result.reference = [=](const Arrays& in) { return each_element(in, dtypes, element); };
  return result;
}

// tanh(x * y + z) * 0.5 + 1, and the sum.
Case activation_chain(DType dtype, const std::vector<Shape>& shapes) {
  const Expression expression{{"elementwise_mul", "elementwise_add", "tanh", "scale"},
                              {2, 0, 1, 2, 3, 2, 1, 4, 1, 5},
                              {dtype, dtype, dtype, dtype},
                              {0.5, 1.0},
                              {6, 4}};
  const Rounded a(dtype);
  return fused_case("tanh", dtype, shapes, expression, [=](const std::vector<Real>& v) {
    const Bounded sum = a.add(a.mul(a.exact(v[0]), a.exact(v[1])), a.exact(v[2]));
    return std::vector{a.scale(a.apply("tanh", sum), 0.5L, 1), sum};
  });
}

// erf(x + y) * z.
Case erf_chain(DType dtype, const std::vector<Shape>& shapes) {
  const Expression expression{{"elementwise_add", "erf", "elementwise_mul"},
                              {2, 0, 1, 1, 3, 2, 4, 2},
                              {dtype, dtype, dtype},
                              {},
                              {5}};
  const Rounded a(dtype);
  return fused_case("erf", dtype, shapes, expression, [=](const std::vector<Real>& v) {
    return std::vector{a.mul(a.erf(a.add(a.exact(v[0]), a.exact(v[1]))), a.exact(v[2]))};
  });
}

// A backward program has such a chain: relu_grad(y, g) times z, added to itself, and as another
// output the gradient of a sigmoid.
Case gradient_chain(DType dtype, const std::vector<Shape>& shapes) {
  const Expression expression{{"relu_grad", "elementwise_mul", "elementwise_add", "sigmoid_grad"},
                              {2, 0, 1, 2, 3, 2, 2, 4, 4, 2, 0, 5},
                              {dtype, dtype, dtype, dtype},
                              {},
                              {6, 5}};
  const Rounded a(dtype);
  return fused_case("grad", dtype, shapes, expression, [=](const std::vector<Real>& v) {
    const Bounded passed = a.exact(v[0] > 0 ? v[1] : Real{0});
    const Bounded product = a.mul(passed, a.exact(v[2]));
    const Bounded sum = a.add(product, product);
    const Bounded slope = a.mul(a.exact(v[0]), a.add(a.exact(1), a.exact(-v[0])));
    return std::vector{a.mul(sum, slope), sum};
  });
}

// where(x < y, x, y) as float32, and whether both are below 0.5.
Case choice_chain(DType dtype, const std::vector<Shape>& shapes) {
  const Expression expression{
      {"less_than", "where", "cast", "elementwise_max", "scale", "abs", "greater_equal"},
      {2, 0, 1, 3, 2, 0, 1, 1, 3, 2, 0, 1, 1, 5, 1, 6, 2, 7, 0},
      {kBool, dtype, kFloat32, dtype, dtype, dtype, kBool},
      {-1.0, 0.0},
      {4, 8}};
  return fused_case("choice", dtype, shapes, expression, [](const std::vector<Real>& v) {
    const Real larger = std::max(v[0], v[1]);
    return std::vector<Bounded>{{std::min(v[0], v[1]), 0},
                                {std::abs(larger) >= v[0] ? Real{1} : Real{0}, 0}};
  });
}

// NaN and infinities pass through a chain to the bit.
Case special_chain(DType dtype) {
  const Expression expression{{"relu", "elementwise_min", "sign"},
                              {1, 0, 2, 2, 1, 1, 3},
                              {dtype, dtype, dtype},
                              {},
                              {4, 3}};
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  const Generator special = cycle({0, kInfinity, -kInfinity, std::nanl(""), 1, -1, 2});
  Case result =
      fused_case("special", dtype, {{3, 5}, {3, 5}}, expression, [](const std::vector<Real>& v) {
        const Real positive = v[0] < 0 ? 0 : v[0];
        const Real least = positive < v[1] || positive != positive ? positive : v[1];
        return std::vector<Bounded>{{least > 0 ? Real{1} : (least < 0 ? Real{-1} : least), 0},
                                    {least, 0}};
      });
  result.inputs[0].values = special;
  result.inputs[1].values = cycle({1, kInfinity, 3, -kInfinity, std::nanl("")});
  return result;
}

// Integers wrap at each step.
Case integer_chain(DType dtype) {
  const Expression expression{{"elementwise_mul", "elementwise_add", "square"},
                              {2, 0, 1, 2, 2, 0, 1, 3},
                              {dtype, dtype, dtype},
                              {},
                              {4}};
  Case result =
      fused_case("integers", dtype, {{3, 70}, {70}}, expression, [=](const std::vector<Real>& v) {
        const Real sum = round_to(dtype, round_to(dtype, v[0] * v[1]) + v[0]);
        return std::vector<Bounded>{{round_to(dtype, sum * sum), 0}};
      });
  for (Input& input : result.inputs) {
    input.values = integers(is_unsigned(dtype) ? 0 : -100, 100);
  }
  return result;
}

}  // namespace

void add_fused_elementwise_cases(Suite& suite) {
  const std::vector<std::vector<Shape>> broadcast{
      {{}, {}, {}},
      {{1}, {1}, {1}},
      {{0, 3}, {0, 3}, {3}},
      {{17}, {17}, {17}},
      {{3, 5}, {3, 5}, {3, 5}},
      {{3, 5}, {1}, {5}},
      {{3, 5}, {3, 1}, {}},
      {{4, 1, 3}, {2, 1}, {3}},
      {{129, 65}, {65}, {129, 1}},
      {{5000}, {1}, {5000}},
      {{2, 4099}, {1, 4099}, {2, 1}},
      {{2, 1, 3, 2, 1, 2, 1, 2}, {3, 1, 1, 2, 1, 2}, {2, 1, 1, 1, 1, 1, 1, 1}},
  };
  const std::vector<Shape> equal{{}, {0, 3}, {3, 5}, {129, 65}, {10007}};
  for (const DType dtype : kFloatTypes) {
    for (const auto& shapes : broadcast) suite.add(activation_chain(dtype, shapes));
    for (const Shape& shape : equal) {
      suite.add(gradient_chain(dtype, {shape, shape, shape}));
      suite.add(erf_chain(dtype, {shape, shape, shape}));
      suite.add(choice_chain(dtype, {shape, shape}));
    }
    suite.add(choice_chain(dtype, {{7, 300}, {300}}));
    suite.add(special_chain(dtype));
  }
  for (const DType dtype : kIntegerTypes) suite.add(integer_chain(dtype));
}

}  // namespace loci::conformance
