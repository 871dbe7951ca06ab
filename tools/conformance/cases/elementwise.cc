// elementwise_add, _sub, _mul, _div, with broadcasting.
#include <cmath>
#include <cstdint>
#include <limits>
#include <loci/ops.hpp>

#include "tools/conformance/broadcast.h"
#include "tools/conformance/cases/families.h"

namespace loci::conformance {
namespace {

struct Op {
  const char* name;
  Variable (*build)(const Variable&, const Variable&);
  Real (*real)(Real, Real);
  // Modulo 2^64, of which the narrower types keep the lower bits.
  std::uint64_t (*integer)(std::uint64_t, std::uint64_t);
};

constexpr Op kOps[] = {
    {"elementwise_add", elementwise_add<Variable>, [](Real x, Real y) { return x + y; },
     [](std::uint64_t x, std::uint64_t y) { return x + y; }},
    {"elementwise_sub", elementwise_sub<Variable>, [](Real x, Real y) { return x - y; },
     [](std::uint64_t x, std::uint64_t y) { return x - y; }},
    {"elementwise_mul", elementwise_mul<Variable>, [](Real x, Real y) { return x * y; },
     [](std::uint64_t x, std::uint64_t y) { return x * y; }},
    {"elementwise_div", elementwise_div<Variable>, [](Real x, Real y) { return x / y; }, nullptr},
};

std::uint64_t to_bits(Real value) {
  return value < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                   : static_cast<std::uint64_t>(value);
}

// Integer division truncates, and gives 0 for a divisor of 0.
Real apply(const Op& op, DType dtype, Real x, Real y) {
  if (is_floating(dtype)) return op.real(x, y);
  if (op.integer != nullptr) return static_cast<Real>(op.integer(to_bits(x), to_bits(y)));
  return y == 0 ? 0 : std::trunc(x / y);
}

// One operation, rounded once: exact in every dtype.
std::vector<Expected> reference(const Op& op, const Arrays& in) {
  Expected out = Expected::exact(in[0].dtype, broadcast_shape(in[0].shape, in[1].shape));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Index index = index_of(out.shape, i);
    const Real x = in[0].at(broadcast_index(in[0].shape, index));
    const Real y = in[1].at(broadcast_index(in[1].shape, index));
    out.values[i] = apply(op, out.dtype, x, y);
  }
  return {out};
}

struct Operands {
  Shape x;
  Shape y;
};

Case binary_case(const Op& op, DType dtype, const Operands& shapes, const Generator& x,
                 const Generator& y, const char* variant = "") {
  const std::size_t elements =
      static_cast<std::size_t>(broadcast_shape(shapes.x, shapes.y).numel());
  return {.op = op.name,
          .variant = variant,
          .inputs = {{dtype, shapes.x, x}, {dtype, shapes.y, y}},
          .build = [&op](const Variables& in) { return Variables{op.build(in[0], in[1])}; },
          .reference = [&op](const Arrays& in) { return reference(op, in); },
          .differentiate = elements > 1000 || *variant != '\0' ? std::vector<std::size_t>{}
                                                               : std::vector<std::size_t>{0, 1}};
}

bool is_signed(DType dtype) {
  return dtype == kInt8 || dtype == kInt16 || dtype == kInt32 || dtype == kInt64;
}

// No result leaves the range of any dtype, no divisor is near 0.
void add_shapes(Suite& suite, const Op& op, DType dtype) {
  const Operands shapes[] = {{{}, {}},
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
  const bool divides = op.integer == nullptr;
  Generator x = uniform(-2, 2);
  Generator y = divides ? uniform(0.5L, 2) : uniform(-2, 2);
  if (is_signed(dtype)) {
    x = integers(-11, 11);
    y = cycle({-11, -3, -1, 2, 3, 5, 7});
  } else if (is_integer(dtype)) {
    x = integers(6, 11);
    y = integers(1, 6);
  }
  for (const Operands& operands : shapes) suite.add(binary_case(op, dtype, operands, x, y));
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

}  // namespace

void add_elementwise_cases(Suite& suite) {
  for (const Op& op : kOps) {
    for (const DType dtype : kAllTypes) {
      if (dtype == kBool) continue;
      add_shapes(suite, op, dtype);
      add_extremes(suite, op, dtype);
    }
  }
}

}  // namespace loci::conformance
