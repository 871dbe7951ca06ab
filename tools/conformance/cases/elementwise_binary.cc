// elementwise_add, _sub, _mul, _div, _max, _min, _pow, _mod, with broadcasting.
#include <cmath>
#include <cstdint>
#include <limits>
#include <loci/ops.hpp>

#include "tools/conformance/broadcast.h"
#include "tools/conformance/case.h"

namespace loci::conformance {
namespace {

struct Op {
  const char* name;
  Variable (*build)(const Variable&, const Variable&);
  Real (*real)(Real, Real);
  // Computes on whole numbers; the narrower types keep the lower bits.
  Real (*whole)(Real, Real);
  // Divisors, and bases of powers, keep away from 0.
  bool divides = false;
  // Roundoffs of a floating result; 0: the value rounded once.
  Real slack = 0;
};

// Division truncates, and gives 0 for a divisor of 0.
Real whole_quotient(Real x, Real y) { return y == 0 ? 0 : std::trunc(x / y); }

// NaN in either is the result.
Real larger(Real x, Real y) { return std::isnan(x) || x > y ? x : y; }
Real smaller(Real x, Real y) { return std::isnan(x) || x < y ? x : y; }

Real whole_power(Real x, Real y) {
  if (y < 0) {
    const Real odd = std::fmod(y, Real{2}) != 0 ? x : Real{1};
    return std::abs(x) == 1 ? odd : Real{0};
  }
  std::uint64_t result = 1;
  std::uint64_t square = to_bits(x);
  for (std::uint64_t rest = to_bits(y); rest != 0; rest >>= 1U, square *= square) {
    if ((rest & 1U) != 0) result *= square;
  }
  return static_cast<Real>(result);
}

Real remainder_like_divisor(Real x, Real y) {
  const Real rest = std::fmod(x, y);
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

Real whole_remainder(Real x, Real y) { return y == 0 ? 0 : remainder_like_divisor(x, y); }

// Four units in the last place, as the devices' libraries have them for powers; a remainder is
// exact but for one sum.
constexpr Op kOps[] = {
    {"elementwise_add", elementwise_add<Variable>, [](Real x, Real y) { return x + y; },
     [](Real x, Real y) { return static_cast<Real>(to_bits(x) + to_bits(y)); }},
    {"elementwise_sub", elementwise_sub<Variable>, [](Real x, Real y) { return x - y; },
     [](Real x, Real y) { return static_cast<Real>(to_bits(x) - to_bits(y)); }},
    {"elementwise_mul", elementwise_mul<Variable>, [](Real x, Real y) { return x * y; },
     [](Real x, Real y) { return static_cast<Real>(to_bits(x) * to_bits(y)); }},
    {"elementwise_div", elementwise_div<Variable>, [](Real x, Real y) { return x / y; },
     whole_quotient, true},
    {"elementwise_max", elementwise_max<Variable>, larger, larger},
    {"elementwise_min", elementwise_min<Variable>, smaller, smaller},
    {"elementwise_pow", elementwise_pow<Variable>, [](Real x, Real y) { return std::pow(x, y); },
     whole_power, true, 8},
    {"elementwise_mod", elementwise_mod<Variable>, remainder_like_divisor, whole_remainder, true,
     1},
};

std::vector<Expected> reference(const Op& op, const Arrays& in) {
  const DType dtype = in[0].dtype;
  const Shape shape = broadcast_shape(in[0].shape, in[1].shape);
  const bool exact = op.slack == 0 || is_integer(dtype);
  Expected out = exact ? Expected::exact(dtype, shape) : Expected::bounded(dtype, shape);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Index index = index_of(out.shape, i);
    const Real x = in[0].at(broadcast_index(in[0].shape, index));
    const Real y = in[1].at(broadcast_index(in[1].shape, index));
    out.values[i] = is_integer(dtype) ? op.whole(x, y) : op.real(x, y);
    const Real magnitude = std::abs(out.values[i]);
    if (!exact && std::isfinite(magnitude)) out.slack[i] = op.slack * magnitude;
  }
  return {out};
}

struct BinaryOperands {
  Shape x;
  Shape y;
};

Case binary_case(const Op& op, DType dtype, const BinaryOperands& shapes, const Generator& x,
                 const Generator& y, const char* variant = "") {
  const std::size_t elements =
      static_cast<std::size_t>(broadcast_shape(shapes.x, shapes.y).numel());
  return {.op = op.name,
          .variant = variant,
          .inputs = {{dtype, shapes.x, x}, {dtype, shapes.y, y}},
          .build = [&op](const Variables& in) { return Variables{op.build(in[0], in[1])}; },
          .reference = [&op](const Arrays& in) { return reference(op, in); },
          .differentiate = elements > 1000 || *variant != '\0' ? std::vector<std::size_t>{}
                                                               : std::vector<std::size_t>{0, 1},
          .gradient_slack = 64};
}

bool is_signed(DType dtype) {
  return dtype == kInt8 || dtype == kInt16 || dtype == kInt32 || dtype == kInt64;
}

// No result leaves the range of any dtype, no divisor is near 0.
void add_shapes(Suite& suite, const Op& op, DType dtype) {
  const BinaryOperands shapes[] = {{{}, {}},
                                   {{1}, {1}},
                                   {{7}, {7}},
                                   {{17}, {1}},
                                   {{2, 3}, {}},
                                   {{2, 3}, {3}},
                                   {{3}, {2, 3}},
                                   {{5, 1}, {1, 9}},
                                   {{4, 1, 3}, {5, 1}},
                                   {{2, 3, 4, 5}, {3, 1, 5}},
                                   {{0, 3}, {3}},
                                   {{1, 3}, {0, 3}},
                                   {{33, 65}, {33, 65}},
                                   {{33, 65}, {33, 1}},
                                   {{70, 1031}, {1031}},
                                   {{2, 1, 2, 1, 3, 1, 2, 1}, {1, 3, 1, 2, 1, 2, 1, 2}}};
  const bool is_power = op.build == elementwise_pow<Variable>;
  Generator x = is_power ? uniform(0.5L, 2) : uniform(-2, 2);
  Generator y = op.divides && !is_power ? uniform(0.5L, 2) : uniform(-2, 2);
  if (is_signed(dtype)) {
    x = integers(-11, 11);
    y = cycle({-11, -3, -1, 2, 3, 5, 7});
  } else if (is_integer(dtype)) {
    x = integers(6, 11);
    y = integers(1, 6);
  }
  for (const BinaryOperands& operands : shapes) suite.add(binary_case(op, dtype, operands, x, y));
}

// Integers wrap; infinities, NaN, zeros and subnormals follow IEEE 754.
void add_extremes(Suite& suite, const Op& op, DType dtype) {
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  std::vector<Real> values;
  if (is_floating(dtype)) {
    const Precision has = precision(dtype);
    const Real largest = std::ldexp(2 - 2 * has.roundoff(), has.max_exponent);
    values = {0,
              1,
              -1,
              3,
              kInfinity,
              -kInfinity,
              std::nanl(""),
              largest,
              -largest,
              has.smallest(),
              -5 * has.smallest(),
              std::ldexp(Real{1}, has.min_exponent)};
  } else {
    const int bits = 8 * static_cast<int>(dtype_size(dtype));
    const Real low = is_signed(dtype) ? -std::ldexp(Real{1}, bits - 1) : 0;
    const Real high = low + std::ldexp(Real{1}, bits) - 1;
    values = {low, high, 0, 1, is_signed(dtype) ? Real{-1} : Real{2}, low + 5, high - 3, 7};
  }
  const auto count = static_cast<std::int64_t>(values.size());
  suite.add(
      binary_case(op, dtype, {{count, 1}, {count}}, cycle(values), cycle(values), "extremes"));
}

// Where the gradient of max or min goes, with many ties, which share it.
Case taken_grad_case(DType dtype, bool larger_wins, const BinaryOperands& shapes) {
  const Shape shape = broadcast_shape(shapes.x, shapes.y);
  const char* name = larger_wins ? "elementwise_max_grad" : "elementwise_min_grad";
  const Generator few = cycle({0, 1, -2, std::nanl(""), 0.5L, 1, -2, 0});
  return {
      .op = name,
      .inputs = {{dtype, shapes.x, few}, {dtype, shapes.y, few}, {dtype, shape, uniform(-2, 2)}},
      .build =
          [=](const Variables& in) {
            return OpCall<Variable>(name)
                .input("x", in[0])
                .input("y", in[1])
                .input("out_grad", in[2])
                .results();
          },
      .reference =
          [=](const Arrays& in) {
            Expected out = Expected::exact(dtype, shape);
            for (std::size_t i = 0; i < out.size(); ++i) {
              const Index index = index_of(shape, i);
              const Real x = in[0].at(broadcast_index(in[0].shape, index));
              const Real y = in[1].at(broadcast_index(in[1].shape, index));
              const bool taken = larger_wins ? x > y : x < y;
              const bool left = larger_wins ? x < y : x > y;
              out.values[i] = in[2].values[i] * (taken ? 1 : (left ? 0 : 0.5L));
            }
            return std::vector<Expected>{out};
          },
      .differentiate = {2}};
}

void add_taken_grads(Suite& suite, DType dtype) {
  const BinaryOperands shapes[] = {
      {{}, {}},         {{7}, {7}},    {{17}, {1}},        {{3}, {7, 3}},
      {{5, 1}, {1, 9}}, {{0, 3}, {3}}, {{33, 7}, {33, 1}}, {{2, 3, 4, 5}, {3, 1, 5}}};
  for (const BinaryOperands& operands : shapes) {
    suite.add(taken_grad_case(dtype, true, operands));
    suite.add(taken_grad_case(dtype, false, operands));
  }
}

// A base or an exponent of 0, where the formulas would multiply 0 by infinity; the reference is
// differentiable there in x for y = 0, 1, 2, and in y for x > 0.
void add_pow_gradients_at_zero(Suite& suite, DType dtype) {
  const Op& op = kOps[6];
  Case base = binary_case(op, dtype, {{6}, {6}}, cycle({0, 0, 0, 2, -2, -2}),
                          cycle({0, 1, 2, 0, 0, 3}), "at zero");
  base.differentiate = {0};
  suite.add(base);
}

}  // namespace

void add_elementwise_binary_cases(Suite& suite) {
  for (const Op& op : kOps) {
    for (const DType dtype : kAllTypes) {
      if (dtype == kBool) continue;
      add_shapes(suite, op, dtype);
      add_extremes(suite, op, dtype);
    }
  }
  for (const DType dtype : kFloatTypes) {
    add_taken_grads(suite, dtype);
    add_pow_gradients_at_zero(suite, dtype);
  }
}

}  // namespace loci::conformance
