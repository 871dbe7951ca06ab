// cumsum, cumprod.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <loci/ops.hpp>

#include "tools/conformance/case.h"

namespace loci::conformance {
namespace {

struct Run {
  Shape x;
  int axis = -1;
  bool exclusive = false;
  bool reverse = false;
};

bool is_sum(const std::string& op) { return op == "cumsum"; }

// One after the other along the line that begins at `first`.
void run_line(const std::string& op, const Run& run, const Array& x, const Index& first,
              Expected* out) {
  const auto axis = static_cast<std::size_t>(run.axis < 0 ? run.axis + run.x.rank() : run.axis);
  const std::int64_t count = x.extent(run.axis);
  Real so_far = is_sum(op) ? 0 : 1;
  Real magnitude = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    Index at = first;
    at[axis] = run.reverse ? count - 1 - i : i;
    const Real value = x.at(at);
    const Real before = so_far;
    so_far = is_sum(op) ? so_far + value : so_far * value;
    // Integers wrap, so that the reference's digits do for any number of terms.
    if (!is_floating(x.dtype)) so_far = round_to(x.dtype, so_far);
    magnitude += std::abs(value);
    const std::size_t to = out->offset(at);
    out->values[to] = run.exclusive ? before : so_far;
    if (out->slack.empty()) continue;
    const Real size = is_sum(op) ? magnitude : std::abs(out->values[to]);
    out->slack[to] = std::isfinite(size) ? static_cast<Real>(i + 1) * size : 0;
  }
}

std::vector<Expected> reference(const std::string& op, const Run& run, const Array& x) {
  Expected out = is_floating(x.dtype) ? Expected::bounded(x.dtype, x.shape)
                                      : Expected::exact(x.dtype, x.shape);
  const auto axis = static_cast<std::size_t>(run.axis < 0 ? run.axis + run.x.rank() : run.axis);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Index at = index_of(x.shape, i);
    if (at[axis] == 0) run_line(op, run, x, at, &out);
  }
  return {out};
}

Generator values_of(const std::string& op, DType dtype) {
  if (is_floating(dtype)) return is_sum(op) ? uniform(-2, 2) : uniform(0.5, 1.5);
  return integers(is_unsigned(dtype) ? 0 : -7, 7);
}

Case cumulative_case(const std::string& op, DType dtype, const Run& run) {
  return {.op = op,
          .variant = fmt::format("axis {}{}{}", run.axis, run.exclusive ? " exclusive" : "",
                                 run.reverse ? " reverse" : ""),
          .inputs = {{dtype, run.x, values_of(op, dtype)}},
          .build =
              [=](const Variables& in) {
                const auto call = is_sum(op) ? cumsum<Variable> : cumprod<Variable>;
                return Variables{call(in[0], run.axis, run.exclusive, run.reverse)};
              },
          .reference = [=](const Arrays& in) { return reference(op, run, in[0]); },
          .differentiate = {0}};
}

// A sum is exact in any order, and a lost or repeated term shows.
Case whole_case(DType dtype, const Run& run) {
  Case result = cumulative_case("cumsum", dtype, run);
  result.variant += " whole numbers";
  result.inputs[0].values = integers(-1, 1);
  result.differentiate = {};
  result.reference = [=](const Arrays& in) {
    std::vector<Expected> out = reference("cumsum", run, in[0]);
    out[0].slack.clear();
    return out;
  };
  return result;
}

// NaN and infinities reach what lies behind them, and nothing else.
Case special_case(const std::string& op, DType dtype, const Run& run) {
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  Case result = cumulative_case(op, dtype, run);
  result.variant += " of special values";
  result.inputs[0].values =
      cycle({1, 2, 0.5, 1, 3, 1, kInfinity, 1, -kInfinity, 1, std::nanl(""), 1, 1, 1, 2, 1, 1});
  result.differentiate = {};
  return result;
}

// Lines with none, one and several zeros.
Case zeros_case(DType dtype, const Run& run) {
  Case result = cumulative_case("cumprod", dtype, run);
  result.variant += " with zeros";
  result.inputs[0].values = cycle({1.5, 0, 0.75, 1.25, 0.5, 2, -1, 0, 0, 1.5, 0.5});
  return result;
}

void add_directions(Suite& suite, const Run& run, const std::function<Case(const Run&)>& make) {
  for (const bool exclusive : {false, true}) {
    for (const bool reverse : {false, true}) {
      suite.add(make({run.x, run.axis, exclusive, reverse}));
    }
  }
}

}  // namespace

void add_cumulative_cases(Suite& suite) {
  const Run runs[] = {
      {{1}},    {{5}},       {{17}},          {{0}},
      {{3, 5}}, {{3, 5}, 0}, {{2, 3, 4}, 1},  {{2, 13, 3}, -2},
      {{0, 4}}, {{4, 0}, 0}, {{2, 9, 70}, 1}, {{2, 2, 1, 3, 2, 2, 2, 2}, 3},
  };
  for (const char* op : {"cumsum", "cumprod"}) {
    for (const Run& run : runs) {
      for (const DType dtype : kAllTypes) {
        if (dtype == kBool) continue;
        add_directions(suite, run, [&](const Run& way) { return cumulative_case(op, dtype, way); });
      }
    }
    for (const DType dtype : kFloatTypes) {
      for (const Run& run : {Run{{34}}, Run{{17, 3}, 0}}) {
        add_directions(suite, run, [&](const Run& way) { return special_case(op, dtype, way); });
      }
    }
  }
  for (const Run& run : {Run{{11}}, Run{{11, 2}, 0}, Run{{3, 5}}}) {
    add_directions(suite, run, [&](const Run& way) { return zeros_case(kFloat64, way); });
  }
  // More than one block of a device has, and than one part of a line.
  for (const DType dtype : {kFloat32, kFloat64, kBFloat16, kInt16}) {
    for (const Run& run : {Run{{2, 20011}}, Run{{1025, 3}, 0}, Run{{2, 300, 600}, 1}}) {
      add_directions(suite, run, [&](const Run& way) { return whole_case(dtype, way); });
    }
  }
}

}  // namespace loci::conformance
