// exp, log, roots, absolute values, rounding, clip.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <loci/ops.hpp>
#include <string_view>

#include "tools/conformance/case.h"

namespace loci::conformance {
namespace {

const Shape kUnaryMathShapes[] = {{},       {1}, {0, 3}, {17}, {3, 5}, {2, 1, 3, 2, 1, 2, 1, 2},
                                  {65, 129}};

struct UnaryMathOp {
  const char* name;
  Variable (*build)(const Variable&);
  Real (*value)(Real);
  // Roundoffs of the result; 0: the value rounded once.
  Real slack;
  // Where it is smooth.
  Real low;
  Real high;
  bool has_gradient;
};

Real half_even(Real x) { return std::nearbyint(x); }
Real softsign_of(Real x) { return std::isinf(x) ? std::copysign(1.0L, x) : x / (1 + std::abs(x)); }
Real sign_of(Real x) { return x > 0 ? 1 : (x < 0 ? -1 : x); }

// Two units in the last place for exp, log and their kin of base 2, four for the other functions; a
// root and a division for rsqrt, a sum and a division for softsign.
constexpr UnaryMathOp kFloating[] = {
    {"exp", exp<Variable>, [](Real x) { return std::exp(x); }, 4, -5, 5, true},
    {"log", log<Variable>, [](Real x) { return std::log(x); }, 4, 0.5L, 9, true},
    {"erf", erf<Variable>, [](Real x) { return std::erf(x); }, 8, -3, 3, true},
    {"sqrt", sqrt<Variable>, [](Real x) { return std::sqrt(x); }, 0, 0.5L, 9, true},
    {"rsqrt", rsqrt<Variable>, [](Real x) { return 1 / std::sqrt(x); }, 3, 0.5L, 9, true},
    {"sin", sin<Variable>, [](Real x) { return std::sin(x); }, 8, -4, 4, true},
    {"cos", cos<Variable>, [](Real x) { return std::cos(x); }, 8, -4, 4, true},
    {"tan", tan<Variable>, [](Real x) { return std::tan(x); }, 8, -1.25L, 1.25L, true},
    {"asin", asin<Variable>, [](Real x) { return std::asin(x); }, 8, -0.875L, 0.875L, true},
    {"acos", acos<Variable>, [](Real x) { return std::acos(x); }, 8, -0.875L, 0.875L, true},
    {"atan", atan<Variable>, [](Real x) { return std::atan(x); }, 8, -4, 4, true},
    {"sinh", sinh<Variable>, [](Real x) { return std::sinh(x); }, 8, -4, 4, true},
    {"cosh", cosh<Variable>, [](Real x) { return std::cosh(x); }, 8, -4, 4, true},
    {"asinh", asinh<Variable>, [](Real x) { return std::asinh(x); }, 8, -4, 4, true},
    {"acosh", acosh<Variable>, [](Real x) { return std::acosh(x); }, 8, 1.25L, 9, true},
    {"atanh", atanh<Variable>, [](Real x) { return std::atanh(x); }, 8, -0.875L, 0.875L, true},
    {"exp2", exp2<Variable>, [](Real x) { return std::exp2(x); }, 4, -5, 5, true},
    {"log2", log2<Variable>, [](Real x) { return std::log2(x); }, 4, 0.5L, 9, true},
    {"expm1", expm1<Variable>, [](Real x) { return std::expm1(x); }, 8, -5, 5, true},
    {"log1p", log1p<Variable>, [](Real x) { return std::log1p(x); }, 8, -0.5L, 9, true},
    {"reciprocal", reciprocal<Variable>, [](Real x) { return 1 / x; }, 0, 0.5L, 9, true},
    {"softsign", softsign<Variable>, softsign_of, 3, 0.25L, 9, true},
    {"trunc", trunc<Variable>, [](Real x) { return std::trunc(x); }, 0, -9, 9, false},
    {"floor", floor<Variable>, [](Real x) { return std::floor(x); }, 0, -9, 9, false},
    {"ceil", ceil<Variable>, [](Real x) { return std::ceil(x); }, 0, -9, 9, false},
    {"round", round<Variable>, half_even, 0, -9, 9, false},
};

constexpr UnaryMathOp kNumeric[] = {
    {"abs", abs<Variable>, [](Real x) { return std::abs(x); }, 0, -3, 3, true},
    {"square", square<Variable>, [](Real x) { return x * x; }, 0, -3, 3, true},
    {"sign", sign<Variable>, sign_of, 0, -3, 3, false},
};

// Modulo 2^64, of which the narrower types keep the lower bits.
Real integer_square(Real x) {
  const auto bits = x < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(x))
                          : static_cast<std::uint64_t>(x);
  return static_cast<Real>(bits * bits);
}

std::vector<Expected> map(const UnaryMathOp& op, const Array& x) {
  const bool squares = is_integer(x.dtype) && op.name == std::string_view("square");
  const bool exact = op.slack == 0;
  Expected out = exact ? Expected::exact(x.dtype, x.shape) : Expected::bounded(x.dtype, x.shape);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out.values[i] = squares ? integer_square(x.values[i]) : op.value(x.values[i]);
    const Real magnitude = std::abs(out.values[i]);
    if (!exact && std::isfinite(magnitude)) out.slack[i] = op.slack * magnitude;
  }
  return {out};
}

Case unary_case(const UnaryMathOp& op, DType dtype, const Shape& shape, const Generator& values,
                const char* variant = "") {
  const bool smooth = op.has_gradient && *variant == '\0' && shape.numel() <= 1000;
  return {.op = op.name,
          .variant = variant,
          .inputs = {{dtype, shape, values}},
          .build = [&op](const Variables& in) { return Variables{op.build(in[0])}; },
          .reference = [&op](const Arrays& in) { return map(op, in[0]); },
          .differentiate = smooth ? std::vector<std::size_t>{0} : std::vector<std::size_t>{}};
}

Real largest(DType dtype) {
  const Precision has = precision(dtype);
  return std::ldexp(2 - 2 * has.roundoff(), has.max_exponent);
}

// Zeros of both signs, infinities, NaN, subnormals, the ends of the range, and halves.
Generator special_floats(DType dtype) {
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  const Precision has = precision(dtype);
  const Real small = has.smallest();
  const Real normal = std::ldexp(Real{1}, has.min_exponent);
  return cycle({0, -0.0L, kInfinity, -kInfinity, std::nanl(""), small, -small, normal - small,
                normal, largest(dtype), -largest(dtype), 1, -1, 0.5L, 1.5L, 2.5L, -0.5L, -1.5L});
}

Generator integer_ends(DType dtype) {
  const int bits = 8 * static_cast<int>(dtype_size(dtype));
  const Real low = is_unsigned(dtype) ? 0 : -std::ldexp(Real{1}, bits - 1);
  const Real high = low + std::ldexp(Real{1}, bits) - 1;
  return cycle({low, high, low + 1, high - 1, 0, 1, 7});
}

void add_numeric(Suite& suite, const UnaryMathOp& op, DType dtype) {
  const bool floating = is_floating(dtype);
  Generator values = integers(is_unsigned(dtype) ? 0 : -11, 11);
  // Away from 0, where abs has no derivative.
  if (floating) values = distinct(0.0625L);
  for (const Shape& shape : kUnaryMathShapes) suite.add(unary_case(op, dtype, shape, values));
  suite.add(unary_case(op, dtype, {36}, floating ? special_floats(dtype) : integer_ends(dtype),
                       "special"));
}

// Exponents where the result is subnormal, or nearly too large, besides the whole range.
void add_exp_range(Suite& suite, DType dtype) {
  const UnaryMathOp& op = kFloating[0];
  const Precision has = compute_precision(dtype);
  const Real log2 = std::log(Real{2});
  const Real high = static_cast<Real>(has.max_exponent + 1) * log2;
  const Real low = static_cast<Real>(has.min_exponent - has.digits - 2) * log2;
  suite.add(unary_case(op, dtype, {1031}, uniform(low, high), "range"));
  suite.add(unary_case(op, dtype, {331}, uniform(low, low + 20), "subnormal"));
}

const UnaryMathOp& floating_op(std::string_view name) {
  return *std::find_if(std::begin(kFloating), std::end(kFloating),
                       [&](const UnaryMathOp& each) { return each.name == name; });
}

// Where erf is about a multiple of x, and where it reaches 1.
void add_erf_range(Suite& suite, DType dtype) {
  const UnaryMathOp& op = floating_op("erf");
  suite.add(unary_case(op, dtype, {331}, uniform(-1e-3L, 1e-3L), "near 0"));
  suite.add(unary_case(op, dtype, {1031}, uniform(-8, 8), "wide"));
}

// Where the result is about a multiple of x, which must keep its digits.
void add_near_zero(Suite& suite, DType dtype) {
  for (const char* name :
       {"asin", "asinh", "atan", "atanh", "expm1", "log1p", "sin", "sinh", "softsign", "tan"}) {
    suite.add(unary_case(floating_op(name), dtype, {331}, uniform(-1e-3L, 1e-3L), "near 0"));
  }
}

// Angles of many turns: where a few parts of pi are enough, and where they are not.
void add_angles(Suite& suite, DType dtype) {
  for (const char* name : {"sin", "cos", "tan"}) {
    const UnaryMathOp& op = floating_op(name);
    suite.add(unary_case(op, dtype, {1031}, uniform(-400, 400), "turns"));
    suite.add(unary_case(op, dtype, {1031}, uniform(-3e5L, 3e5L), "many turns"));
    suite.add(unary_case(op, dtype, {331}, uniform(-1e37L, 1e37L), "huge"));
  }
}

struct FunctionRange {
  const char* name;
  Real low;
  Real high;
};

// Where results reach an end: of the range of numbers, or of their own.
constexpr FunctionRange kWideRanges[] = {
    {"acos", -1, 1},        {"acosh", 1, 1e5L},        {"asin", -1, 1},
    {"asinh", -1e5L, 1e5L}, {"atan", -50, 50},         {"atanh", -1, 1},
    {"cosh", -95, 95},      {"exp2", -160, 130},       {"expm1", -40, 92},
    {"log1p", -1, 1e5L},    {"log2", 0.0625L, 16},     {"reciprocal", -1e5L, 1e5L},
    {"sinh", -95, 95},      {"softsign", -1e5L, 1e5L},
};

void add_wide_ranges(Suite& suite, DType dtype) {
  for (const FunctionRange& range : kWideRanges) {
    suite.add(
        unary_case(floating_op(range.name), dtype, {1031}, uniform(range.low, range.high), "wide"));
  }
}

struct Range {
  double min;
  double max;
};

std::vector<Expected> clipped(const Array& x, const Range& range) {
  Expected out = Expected::exact(x.dtype, x.shape);
  // Ends as elements have them; of integers what lies within.
  const bool floating = is_floating(x.dtype);
  const Real min = floating ? round_to(x.dtype, range.min) : std::ceil(Real{range.min});
  const Real max = floating ? round_to(x.dtype, range.max) : std::floor(Real{range.max});
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Real value = x.values[i];
    out.values[i] = value < min ? min : (value > max ? max : value);
  }
  return {out};
}

Case clip_case(DType dtype, const Shape& shape, const Range& range, const Generator& values,
               const char* variant = "") {
  const bool smooth = *variant == '\0' && shape.numel() <= 1000;
  return {
      .op = "clip",
      .variant = fmt::format("[{}, {}]{}", range.min, range.max, variant),
      .inputs = {{dtype, shape, values}},
      .build = [=](const Variables& in) { return Variables{clip(in[0], range.min, range.max)}; },
      .reference = [=](const Arrays& in) { return clipped(in[0], range); },
      .differentiate = smooth ? std::vector<std::size_t>{0} : std::vector<std::size_t>{}};
}

// out_grad within the closed range; both ends are among the values, and NaN lets it through.
Case clip_grad_case(DType dtype, const Shape& shape) {
  constexpr Range kRange{-1, 0.5};
  return {.op = "clip_grad",
          .inputs = {{dtype, shape, cycle({-1, 0.5L, 0, -2, 3, -0.25L, std::nanl("")})},
                     {dtype, shape, uniform(-1, 1)}},
          .build =
              [=](const Variables& in) {
                return OpCall<Variable>("clip_grad")
                    .input("x", in[0])
                    .input("out_grad", in[1])
                    .attr("min", kRange.min)
                    .attr("max", kRange.max)
                    .results();
              },
          .reference =
              [=](const Arrays& in) {
                Expected out = Expected::exact(in[1].dtype, in[1].shape);
                for (std::size_t i = 0; i < out.size(); ++i) {
                  const Real x = in[0].values[i];
                  const bool outside = x < kRange.min || x > kRange.max;
                  out.values[i] = outside ? 0 : in[1].values[i];
                }
                return std::vector<Expected>{out};
              },
          .differentiate = {1}};
}

void add_clip(Suite& suite, DType dtype) {
  const bool floating = is_floating(dtype);
  const Generator values =
      floating ? distinct(0.0625L) : integers(is_unsigned(dtype) ? 0 : -11, 11);
  for (const Shape& shape : kUnaryMathShapes) {
    // No value is so near to an end that a difference would reach over it.
    suite.add(clip_case(dtype, shape, floating ? Range{-0.25, 0.5} : Range{1, 7}, values));
    if (floating) suite.add(clip_grad_case(dtype, shape));
  }
  const Generator special = floating ? special_floats(dtype) : integer_ends(dtype);
  suite.add(clip_case(dtype, {36}, {-1, 1.5}, special, ", special"));
  suite.add(clip_case(dtype, {36}, {-1e30, 1e30}, special, ", wide"));
  suite.add(clip_case(dtype, {36}, {2, 2}, special, ", one value"));
}

}  // namespace

void add_unary_math_cases(Suite& suite) {
  for (const DType dtype : kFloatTypes) {
    for (const UnaryMathOp& op : kFloating) {
      for (const Shape& shape : kUnaryMathShapes) {
        suite.add(unary_case(op, dtype, shape, uniform(op.low, op.high)));
      }
      suite.add(unary_case(op, dtype, {36}, special_floats(dtype), "special"));
    }
    add_exp_range(suite, dtype);
    add_erf_range(suite, dtype);
    add_near_zero(suite, dtype);
    add_angles(suite, dtype);
    add_wide_ranges(suite, dtype);
  }
  for (const DType dtype : kAllTypes) {
    if (dtype == kBool) continue;
    for (const UnaryMathOp& op : kNumeric) add_numeric(suite, op, dtype);
    add_clip(suite, dtype);
  }
}

}  // namespace loci::conformance
