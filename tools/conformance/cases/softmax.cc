// softmax and log_softmax along any axis.
#include "tools/conformance/softmax.h"

#include <fmt/format.h>

#include <cmath>
#include <loci/ops.hpp>

#include "tools/conformance/case.h"

namespace loci::conformance {
namespace {

std::vector<Expected> reference(const Array& x, int axis, bool is_log) {
  Expected out = Expected::bounded(x.dtype, x.shape);
  const int along = axis < 0 ? axis + x.shape.rank() : axis;
  for (std::size_t i = 0; i < x.size(); ++i) {
    Index index = index_of(x.shape, i);
    auto& position = index[static_cast<std::size_t>(along)];
    if (position != 0) continue;
    std::vector<Real> values;
    for (; position < x.shape[along]; ++position) values.push_back(x.at(index));
    const SoftmaxRow row = softmax_row(values);
    for (std::size_t k = 0; k < values.size(); ++k) {
      position = static_cast<std::int64_t>(k);
      const std::size_t to = x.offset(index);
      out.values[to] = is_log ? values[k] - row.log_sum : row.values[k];
      // The error is that of x - max, of log(sum) and of their difference.
      out.slack[to] = is_log ? 2 * std::abs(out.values[to]) + row.log_sum_slack : row.slack[k];
    }
  }
  return {out};
}

Case softmax_case(DType dtype, const Shape& shape, int axis, const Generator& values,
                  const char* variant, bool is_log) {
  const bool smooth = *variant == '\0';
  return {.op = is_log ? "log_softmax" : "softmax",
          .variant = fmt::format("axis {}{}", axis, variant),
          .inputs = {{dtype, shape, values}},
          .build =
              [=](const Variables& in) {
                return Variables{is_log ? log_softmax(in[0], axis) : softmax(in[0], axis)};
              },
          .reference = [=](const Arrays& in) { return reference(in[0], axis, is_log); },
          .differentiate = smooth ? std::vector<std::size_t>{0} : std::vector<std::size_t>{}};
}

void add_cases(Suite& suite, DType dtype, bool is_log) {
  const auto add = [&](const Shape& shape, int axis, const Generator& values,
                       const char* variant = "") {
    suite.add(softmax_case(dtype, shape, axis, values, variant, is_log));
  };
  const Generator values = uniform(-2, 2);
  add({1}, 0, values);
  add({7}, -1, values);
  add({3, 1}, 1, values);
  add({3, 5}, -1, values);
  add({3, 5}, 0, values);
  add({2, 3, 4}, 1, values);
  add({2, 3, 4}, -3, values);
  add({0, 3}, 1, values);
  add({9, 33}, 1, values);
  add({4, 3, 5, 7}, 1, values);
  add({65, 257}, 1, values, ", large");
  // Rows of whole vectors, few and many to a row.
  add({5, 48}, 1, values, ", whole vectors");
  add({3, 1032}, 1, values, ", whole vectors");
  add({40, 65}, 0, values, ", large");
  // Vectors of no elements take no time.
  add({std::int64_t{1} << 40, 0}, 1, values, ", no elements");
  add({std::int64_t{1} << 40, 0, 3}, 1, values, ", no elements");
  // Neither overflow nor 0 / 0.
  add({3, 9}, 1, uniform(900, 1000), ", large values");
  add({3, 9}, 1, uniform(-300, 300), ", far apart");
}

}  // namespace

void add_softmax_cases(Suite& suite) {
  for (const DType dtype : kFloatTypes) {
    add_cases(suite, dtype, /*is_log=*/false);
    add_cases(suite, dtype, /*is_log=*/true);
  }
}

}  // namespace loci::conformance
