// argmax, accuracy.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <loci/ops.hpp>

#include "tools/conformance/case.h"

namespace loci::conformance {
namespace {

struct Argmax {
  Shape x;
  int axis = -1;
  bool keep_dim = false;
};

// NaN counts as the largest; the first of equal ones.
bool is_larger(Real a, Real b) { return !std::isnan(b) && (std::isnan(a) || a > b); }

std::vector<Expected> argmax_reference(const Argmax& op, const Array& x) {
  const int axis = op.axis < 0 ? op.axis + x.shape.rank() : op.axis;
  Shape kept = x.shape;
  kept.set(axis, 1);
  Expected out = Expected::exact(kInt64, kept);
  for (std::size_t i = 0; i < out.size(); ++i) {
    Index best = index_of(kept, i);
    Index index = best;
    for (std::int64_t k = 0; k < x.shape[axis]; ++k) {
      index[static_cast<std::size_t>(axis)] = k;
      if (is_larger(x.at(index), x.at(best))) best = index;
    }
    out.values[i] = static_cast<Real>(best[static_cast<std::size_t>(axis)]);
  }
  if (op.keep_dim) return {out};
  out.shape = Shape();
  for (int i = 0; i < kept.rank(); ++i) {
    if (i != axis) out.shape.push_back(kept[i]);
  }
  return {out};
}

Case argmax_case(DType dtype, const Argmax& op, const Generator& values, const char* variant = "") {
  return {
      .op = "argmax",
      .variant = fmt::format("axis {}{}{}", op.axis, op.keep_dim ? " keep_dim" : "", variant),
      .inputs = {{dtype, op.x, values}},
      .build = [=](const Variables& in) { return Variables{argmax(in[0], op.axis, op.keep_dim)}; },
      .reference = [=](const Arrays& in) { return argmax_reference(op, in[0]); }};
}

struct Accuracy {
  Shape x;
  Shape label;
  DType label_dtype = kInt64;
  int k = 1;
};

// Share, number of right rows, number of rows. The scores have no equal elements in a row.
std::vector<Expected> accuracy_reference(const Accuracy& op, const Arrays& in) {
  const std::int64_t classes = op.x[1];
  Real correct = 0;
  for (std::int64_t row = 0; row < op.x[0]; ++row) {
    const Real score =
        in[0].at({row, static_cast<std::int64_t>(in[1].values[static_cast<std::size_t>(row)])});
    const auto* first = &in[0].values[static_cast<std::size_t>(row * classes)];
    const auto larger =
        std::count_if(first, first + classes, [=](Real other) { return other > score; });
    correct += larger < op.k ? 1 : 0;
  }
  const auto rows = static_cast<Real>(op.x[0]);
  std::vector<Expected> out{Expected::exact(kFloat32, {}), Expected::exact(kInt32, {}),
                            Expected::exact(kInt32, {})};
  out[0].values = {correct / rows};
  out[1].values = {correct};
  out[2].values = {rows};
  return out;
}

Case accuracy_case(DType dtype, const Accuracy& op) {
  return {.op = "accuracy",
          .variant = fmt::format("{} labels, k {}", dtype_name(op.label_dtype), op.k),
          .inputs = {{dtype, op.x, distinct(0.5L)},
                     {op.label_dtype, op.label, integers(0, op.x[1] - 1)}},
          .build =
              [=](const Variables& in) {
                return OpCall<Variable>("accuracy")
                    .input("x", in[0])
                    .input("label", in[1])
                    .attr("k", std::int64_t{op.k})
                    .results();
              },
          .reference = [=](const Arrays& in) { return accuracy_reference(op, in); }};
}

}  // namespace

void add_metric_cases(Suite& suite) {
  const Argmax argmaxes[] = {{{1}},
                             {{9}},
                             {{3, 5}},
                             {{3, 5}, 0},
                             {{3, 5}, 1, true},
                             {{2, 3, 4}, 1},
                             {{2, 3, 4}, -3, true},
                             {{0, 3}, 1},
                             {{17, 65}},
                             {{130, 33}, 0}};
  for (const DType dtype : kAllTypes) {
    if (dtype == kBool) continue;
    const Generator values = is_floating(dtype) ? uniform(-2, 2) : integers(0, 100);
    for (const Argmax& op : argmaxes) suite.add(argmax_case(dtype, op, values));
    suite.add(argmax_case(dtype, {{4, 9}}, integers(0, 2), ", ties"));
  }
  for (const DType dtype : kFloatTypes) {
    suite.add(argmax_case(dtype, {{4, 5}}, cycle({1, std::nanl(""), 3, std::nanl(""), 2, 0, -1}),
                          ", NaN"));
  }
  suite.add(argmax_case(kInt8, {{3, 5}}, integers(-128, -100), ", negative"));
  suite.add(argmax_case(kInt64, {{4}}, cycle({std::ldexp(1.0L, 60), std::ldexp(1.0L, 60) + 1}),
                        ", beyond float64"));
  const Accuracy accuracies[] = {{{1, 1}, {1}},
                                 {{7, 5}, {7}},
                                 {{7, 5}, {7, 1}, kInt32},
                                 {{9, 5}, {9, 1}, kInt64, 2},
                                 {{9, 5}, {9}, kInt32, 5},
                                 {{25, 10}, {25, 1}, kInt64, 3}};
  for (const DType dtype : kFloatTypes) {
    for (const Accuracy& op : accuracies) suite.add(accuracy_case(dtype, op));
  }
}

}  // namespace loci::conformance
