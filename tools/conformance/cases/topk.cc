// topk, sort.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <loci/ops.hpp>
#include <numeric>

#include "tools/conformance/case.h"

namespace loci::conformance {
namespace {

struct Choice {
  Shape x;
  std::int64_t k;
  int axis = -1;
  bool largest = true;
};

// NaN counts as the largest.
bool is_smaller(Real a, Real b) { return !std::isnan(a) && (std::isnan(b) || a < b); }

std::size_t axis_of(const Choice& op) {
  return static_cast<std::size_t>(op.axis < 0 ? op.axis + op.x.rank() : op.axis);
}

// Writes what is chosen of the line that begins at `first`.
void choose(const Choice& op, const Array& x, const Index& first, std::vector<Expected>* out) {
  const std::size_t axis = axis_of(op);
  std::vector<std::int64_t> order(static_cast<std::size_t>(x.extent(op.axis)));
  std::iota(order.begin(), order.end(), 0);
  const auto value = [&](std::int64_t i) {
    Index at = first;
    at[axis] = i;
    return x.at(at);
  };
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return op.largest ? is_smaller(value(b), value(a)) : is_smaller(value(a), value(b));
  });
  Index to = first;
  for (std::int64_t i = 0; i < op.k; ++i) {
    to[axis] = i;
    const std::int64_t from = order[static_cast<std::size_t>(i)];
    (*out)[0].values[(*out)[0].offset(to)] = value(from);
    (*out)[1].values[(*out)[1].offset(to)] = static_cast<Real>(from);
  }
}

std::vector<Expected> reference(const Choice& op, const Array& x) {
  Shape shape = op.x;
  shape.set(static_cast<int>(axis_of(op)), op.k);
  std::vector<Expected> out{Expected::exact(x.dtype, shape), Expected::exact(kInt64, shape)};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Index at = index_of(x.shape, i);
    if (at[axis_of(op)] == 0) choose(op, x, at, &out);
  }
  return out;
}

// Many of them are equal.
Generator repeated(DType dtype) { return integers(is_unsigned(dtype) ? 0 : -9, 9); }

Case topk_case(DType dtype, const Choice& op, const Generator& values, const char* variant = "") {
  return {.op = "topk",
          .variant = fmt::format("{} {} axis {}{}", op.largest ? "largest" : "smallest", op.k,
                                 op.axis, variant),
          .inputs = {{dtype, op.x, values}},
          .build =
              [=](const Variables& in) {
                const auto out = topk(in[0], op.k, op.axis, op.largest);
                return Variables{out.values, out.indices};
              },
          .reference = [=](const Arrays& in) { return reference(op, in[0]); }};
}

// The order of what is chosen is open, so that it is put into one.
Case unsorted_case(DType dtype, const Choice& op) {
  Case result = topk_case(dtype, op, repeated(dtype), " unsorted");
  result.build = [=](const Variables& in) {
    const auto out = topk(in[0], op.k, op.axis, op.largest, /*sorted=*/false);
    return Variables{sort(out.values, op.axis, op.largest).values};
  };
  result.reference = [=](const Arrays& in) { return std::vector{reference(op, in[0]).front()}; };
  return result;
}

Case sort_case(DType dtype, const Choice& op, const Generator& values, const char* variant = "") {
  return {.op = "sort",
          .variant = fmt::format("axis {}{}{}", op.axis, op.largest ? " descending" : "", variant),
          .inputs = {{dtype, op.x, values}},
          .build =
              [=](const Variables& in) {
                const auto out = sort(in[0], op.axis, op.largest);
                return Variables{out.values, out.indices};
              },
          .reference = [=](const Arrays& in) { return reference(op, in[0]); }};
}

Generator special() {
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  const Real nan = std::nanl("");
  return cycle({1, nan, -0.0L, kInfinity, 0, -kInfinity, 2, -nan, -2, 1, 0, -0.0L, nan});
}

void add_choices(Suite& suite, DType dtype, Choice op) {
  for (const bool largest : {true, false}) {
    op.largest = largest;
    suite.add(topk_case(dtype, op, repeated(dtype)));
    suite.add(unsorted_case(dtype, op));
  }
}

void add_sorts(Suite& suite, DType dtype, Choice op) {
  op.k = op.x[static_cast<int>(axis_of(op))];
  for (const bool descending : {true, false}) {
    op.largest = descending;
    suite.add(sort_case(dtype, op, repeated(dtype)));
  }
}

void add_gradients(Suite& suite, DType dtype) {
  for (Case subject : {topk_case(dtype, {{3, 11}, 4}, distinct(0.25L), " distinct"),
                       topk_case(dtype, {{11, 3}, 4, 0, false}, distinct(0.25L), " distinct"),
                       sort_case(dtype, {{2, 5, 3}, 5, 1}, distinct(0.25L), " distinct")}) {
    const auto build = subject.build;
    const auto outputs = subject.reference;
    // Positions have no gradient, and are left out.
    subject.build = [build](const Variables& in) { return Variables{build(in)[0]}; };
    subject.reference = [outputs](const Arrays& in) { return std::vector{outputs(in).front()}; };
    subject.differentiate = {0};
    suite.add(std::move(subject));
  }
}

}  // namespace

void add_topk_cases(Suite& suite) {
  const Choice choices[] = {{{1}, 1},       {{9}, 3},          {{9}, 0},           {{3, 5}, 5},
                            {{5, 3}, 2, 0}, {{2, 7, 3}, 2, 1}, {{2, 7, 3}, 7, -2}, {{0, 4}, 2},
                            {{0}, 0},       {{2, 40}, 3},      {{2, 40, 21}, 4, 1}};
  const Choice sorts[] = {{{1}, 0},           {{9}, 0},    {{3, 5}, 0}, {{5, 3}, 0, 0},
                          {{2, 7, 20}, 0, 1}, {{0, 4}, 0}, {{4, 0}, 0}};
  for (const DType dtype : kAllTypes) {
    if (dtype == kBool) continue;
    for (const Choice& op : choices) add_choices(suite, dtype, op);
    for (const Choice& op : sorts) add_sorts(suite, dtype, op);
  }
  for (const DType dtype : kFloatTypes) {
    for (const bool largest : {true, false}) {
      suite.add(topk_case(dtype, {{2, 17}, 2, 1, largest}, special(), " of special values"));
      suite.add(topk_case(dtype, {{2, 17}, 16, 1, largest}, special(), " of special values"));
      suite.add(sort_case(dtype, {{17, 2}, 17, 0, largest}, special(), " of special values"));
    }
    add_gradients(suite, dtype);
  }
  // More than a block of a device sorts, and than are collected in one pass.
  for (const DType dtype : {kFloat32, kInt64, kFloat16}) {
    for (const Choice& op :
         {Choice{{2, 5000}, 20}, Choice{{2, 5000}, 3000}, Choice{{4500, 2}, 1500, 0}}) {
      add_choices(suite, dtype, op);
    }
    add_sorts(suite, dtype, {{2, 5000}, 0});
    add_sorts(suite, dtype, {{4500, 2}, 0, 0});
  }
}

}  // namespace loci::conformance
