// Comparisons, logic and choice, with broadcasting: all exact.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <loci/ops.hpp>

#include "tools/conformance/broadcast.h"
#include "tools/conformance/case.h"

namespace loci::conformance {
namespace {

struct CompareOp {
  const char* name;
  Variable (*build)(const Variable&, const Variable&);
  bool (*holds)(Real, Real);
};

constexpr CompareOp kComparisons[] = {
    {"equal", equal<Variable>, [](Real x, Real y) { return x == y; }},
    {"not_equal", not_equal<Variable>, [](Real x, Real y) { return x != y; }},
    {"less_than", less_than<Variable>, [](Real x, Real y) { return x < y; }},
    {"less_equal", less_equal<Variable>, [](Real x, Real y) { return x <= y; }},
    {"greater_than", greater_than<Variable>, [](Real x, Real y) { return x > y; }},
    {"greater_equal", greater_equal<Variable>, [](Real x, Real y) { return x >= y; }},
};

constexpr CompareOp kLogic[] = {
    {"logical_and", logical_and<Variable>, [](Real x, Real y) { return x != 0 && y != 0; }},
    {"logical_or", logical_or<Variable>, [](Real x, Real y) { return x != 0 || y != 0; }},
    {"logical_xor", logical_xor<Variable>, [](Real x, Real y) { return x != y; }},
};

std::vector<Expected> reference(const CompareOp& op, const Arrays& in) {
  Expected out = Expected::exact(kBool, broadcast_shape(in[0].shape, in[1].shape));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Index index = index_of(out.shape, i);
    out.values[i] = op.holds(in[0].at(broadcast_index(in[0].shape, index)),
                             in[1].at(broadcast_index(in[1].shape, index)))
                        ? 1
                        : 0;
  }
  return {out};
}

struct Operands {
  Shape x;
  Shape y;
};

Case pair_case(const CompareOp& op, DType dtype, const Operands& shapes, const Generator& values,
               const char* variant = "") {
  return {.op = op.name,
          .variant = variant,
          .inputs = {{dtype, shapes.x, values}, {dtype, shapes.y, values}},
          .build = [&op](const Variables& in) { return Variables{op.build(in[0], in[1])}; },
          .reference = [&op](const Arrays& in) { return reference(op, in); }};
}

const Operands kPairs[] = {{{}, {}},         {{1}, {1}},          {{7}, {7}},
                           {{17}, {1}},      {{2, 3}, {}},        {{3}, {2, 3}},
                           {{5, 1}, {1, 9}}, {{0, 3}, {3}},       {{33, 65}, {33, 65}},
                           {{33, 65}, {65}}, {{33, 65}, {33, 1}}, {{2, 3, 4, 5}, {3, 1, 5}}};

// Few values, so that many are equal.
Generator few(DType dtype) {
  if (dtype == kBool) return integers(0, 1);
  return is_unsigned(dtype) ? integers(0, 3) : integers(-2, 2);
}

// The ends of the range, where a detour over another dtype, or over the wrong sign, would show.
Generator extremes(DType dtype) {
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  if (is_floating(dtype)) {
    const Real small = precision(dtype).smallest();
    return cycle({0, -0.0L, kInfinity, -kInfinity, std::nanl(""), small, -small, 1});
  }
  const int bits = 8 * static_cast<int>(dtype_size(dtype));
  const Real low = is_unsigned(dtype) ? 0 : -std::ldexp(Real{1}, bits - 1);
  const Real high = low + std::ldexp(Real{1}, bits) - 1;
  return cycle({low, high, low + 1, high - 1, 0, 1});
}

void add_pairs(Suite& suite) {
  for (const CompareOp& op : kComparisons) {
    for (const DType dtype : kAllTypes) {
      for (const Operands& shapes : kPairs) suite.add(pair_case(op, dtype, shapes, few(dtype)));
      if (dtype == kBool) continue;
      suite.add(pair_case(op, dtype, {{8, 1}, {8}}, extremes(dtype), "extremes"));
    }
  }
  for (const CompareOp& op : kLogic) {
    for (const Operands& shapes : kPairs) suite.add(pair_case(op, kBool, shapes, few(kBool)));
  }
}

void add_negation(Suite& suite, const Shape& shape) {
  suite.add({.op = "logical_not",
             .inputs = {{kBool, shape, integers(0, 1)}},
             .build = [](const Variables& in) { return Variables{logical_not(in[0])}; },
             .reference =
                 [](const Arrays& in) {
                   Expected out = Expected::exact(kBool, in[0].shape);
                   for (std::size_t i = 0; i < out.size(); ++i) out.values[i] = 1 - in[0].values[i];
                   return std::vector<Expected>{out};
                 }});
}

struct Choice {
  Shape condition;
  Shape x;
  Shape y;
};

std::vector<Expected> choose(const Arrays& in) {
  const Shape shape = broadcast_shape(in[0].shape, broadcast_shape(in[1].shape, in[2].shape));
  Expected out = Expected::exact(in[1].dtype, shape);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Index index = index_of(shape, i);
    const Array& from = in[0].at(broadcast_index(in[0].shape, index)) != 0 ? in[1] : in[2];
    out.values[i] = from.at(broadcast_index(from.shape, index));
  }
  return {out};
}

Case where_case(DType dtype, const Choice& shapes, const Generator& values,
                const char* variant = "") {
  const bool smooth = *variant == '\0';
  return {.op = "where",
          // The name says only the dtype of the condition.
          .variant = fmt::format("{}{}", dtype_name(dtype), variant),
          .inputs = {{kBool, shapes.condition, integers(0, 1)},
                     {dtype, shapes.x, values},
                     {dtype, shapes.y, values}},
          .build = [](const Variables& in) { return Variables{where(in[0], in[1], in[2])}; },
          .reference = choose,
          .differentiate = smooth ? std::vector<std::size_t>{1, 2} : std::vector<std::size_t>{}};
}

void add_choices(Suite& suite, DType dtype) {
  const Choice rows[] = {
      {{}, {}, {}},          {{1}, {1}, {1}},          {{7}, {7}, {7}},
      {{17}, {17}, {}},      {{17}, {}, {}},           {{17}, {}, {17}},
      {{}, {2, 3}, {3}},     {{2, 1}, {2, 3}, {2, 3}}, {{2, 1}, {1, 3}, {4, 1, 1}},
      {{3}, {2, 3}, {2, 1}}, {{0, 3}, {3}, {1}},       {{2, 3, 4, 5}, {3, 1, 5}, {2, 1, 4, 1}}};
  const Generator values = is_floating(dtype) ? uniform(-2, 2) : few(dtype);
  for (const Choice& shapes : rows) suite.add(where_case(dtype, shapes, values));
  suite.add(where_case(dtype, {{129, 65}, {129, 65}, {65}}, values, ", large"));
  if (dtype != kBool)
    suite.add(where_case(dtype, {{8, 6}, {8, 1}, {6}}, extremes(dtype), ", extremes"));
}

}  // namespace

void add_compare_cases(Suite& suite) {
  add_pairs(suite);
  for (const Shape& shape : {Shape{}, Shape{0, 3}, Shape{7}, Shape{33, 65}}) {
    add_negation(suite, shape);
  }
  for (const DType dtype : kAllTypes) add_choices(suite, dtype);
}

}  // namespace loci::conformance
