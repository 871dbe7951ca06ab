// cast, between all dtypes.
#include <cmath>
#include <limits>
#include <loci/ops.hpp>

#include "tools/conformance/case.h"

namespace loci::conformance {
namespace {

// A conversion is one rounding: exact.
std::vector<Expected> reference(const Array& x, DType to) {
  Expected out = Expected::exact(to, x.shape);
  out.values = x.values;
  return {out};
}

Case cast_case(DType from, DType to, const Shape& shape, const Generator& values,
               const std::string& variant = "") {
  const bool smooth = is_floating(from) && is_floating(to) && dtype_size(to) >= 4 &&
                      variant.empty() && shape.numel() < 1000;
  return {.op = "cast",
          .variant = "to " + std::string(dtype_name(to)) + (variant.empty() ? "" : "/") + variant,
          .inputs = {{from, shape, values}},
          .build = [=](const Variables& in) { return Variables{cast(in[0], to)}; },
          .reference = [=](const Arrays& in) { return reference(in[0], to); },
          .differentiate = smooth ? std::vector<std::size_t>{0} : std::vector<std::size_t>{}};
}

// Makes values that both dtypes can hold, once the fraction is dropped.
Generator common_values(DType from, DType to) {
  if (is_unsigned(from) || is_unsigned(to)) return cycle({0, 1, 0.75L, 2.5L, 3.9L, 100.25L, 127});
  return cycle({0, 1, -1, 0.75L, -0.75L, 2.5L, -2.5L, 3.9L, -3.9L, 100.25L, -127});
}

void add_all_pairs(Suite& suite) {
  for (const DType from : kAllTypes) {
    for (const DType to : kAllTypes) {
      suite.add(cast_case(from, to, {13}, common_values(from, to)));
      suite.add(cast_case(from, to, {3, 67}, common_values(from, to)));
    }
  }
  for (const Shape& shape : {Shape{}, Shape{0, 3}, Shape{33, 1025}}) {
    suite.add(cast_case(kFloat32, kFloat64, shape, uniform(-2, 2)));
    suite.add(cast_case(kFloat64, kFloat32, shape, uniform(-2, 2)));
    suite.add(cast_case(kFloat32, kFloat16, shape, uniform(-2, 2)));
    suite.add(cast_case(kFloat32, kBFloat16, shape, uniform(-2, 2)));
    suite.add(cast_case(kFloat16, kFloat32, shape, uniform(-2, 2)));
  }
}

// Ties, what only just rounds up (and would not after a detour over float32), what overflows, and
// subnormals of the shorter dtype.
void add_hard_roundings(Suite& suite, DType from, DType to) {
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  const Precision has = precision(to);
  const Real half = has.roundoff();
  const Real limit = std::ldexp(2 - half, has.max_exponent);
  const Real small = has.smallest();
  const Generator values = cycle(
      {1 + half, 1 + 3 * half, 1 + half + std::ldexp(half, -16), 1 + half - std::ldexp(half, -16),
       -1 - half - std::ldexp(half, -28), limit, -limit, limit * (1 - half / 16), small / 2,
       small * 1.5L, -small * 2.5L, kInfinity, -kInfinity, std::nanl("")});
  suite.add(cast_case(from, to, {14}, values, "hard roundings"));
}

void add_integers(Suite& suite) {
  for (const DType from : kIntegerTypes) {
    const int bits = 8 * static_cast<int>(dtype_size(from));
    const Real high = std::ldexp(Real{1}, is_unsigned(from) ? bits : bits - 1) - 1;
    const Real low = is_unsigned(from) ? 0 : -high - 1;
    const Generator extremes = cycle({low, high, high - 1, low + 1, high / 2, 0});
    for (const DType to : kAllTypes) suite.add(cast_case(from, to, {12}, extremes, "extremes"));
  }
  // One above the middle of two neighbours of the shorter dtype.
  suite.add(cast_case(kInt64, kFloat32, {3}, cycle({std::ldexp(1.0L, 40) + 65537}), "ties"));
  suite.add(cast_case(kInt64, kFloat16, {3}, cycle({4098, 4099, -4098, 65519, 65520}), "ties"));
  suite.add(cast_case(kInt32, kBFloat16, {3}, cycle({16842753, 257, 259}), "ties"));
}

}  // namespace

void add_cast_cases(Suite& suite) {
  add_all_pairs(suite);
  for (const DType from : {kFloat32, kFloat64}) {
    for (const DType to : {kFloat16, kBFloat16}) add_hard_roundings(suite, from, to);
  }
  add_hard_roundings(suite, kFloat64, kFloat32);
  add_integers(suite);
}

}  // namespace loci::conformance
