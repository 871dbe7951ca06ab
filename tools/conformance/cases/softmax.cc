// softmax along any axis.
#include "tools/conformance/softmax.h"

#include <fmt/format.h>

#include <loci/ops.hpp>

#include "tools/conformance/cases/families.h"

namespace loci::conformance {
namespace {

std::vector<Expected> reference(const Array& x, int axis) {
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
      out.values[x.offset(index)] = row.values[k];
      out.slack[x.offset(index)] = row.slack[k];
    }
  }
  return {out};
}

Case softmax_case(DType dtype, const Shape& shape, int axis, const Generator& values,
                  const char* variant = "") {
  const bool smooth = *variant == '\0';
  return {.op = "softmax",
          .variant = fmt::format("axis {}{}", axis, variant),
          .inputs = {{dtype, shape, values}},
          .build = [=](const Variables& in) { return Variables{softmax(in[0], axis)}; },
          .reference = [=](const Arrays& in) { return reference(in[0], axis); },
          .differentiate = smooth ? std::vector<std::size_t>{0} : std::vector<std::size_t>{}};
}

}  // namespace

void add_softmax_cases(Suite& suite) {
  for (const DType dtype : kFloatTypes) {
    const Generator values = uniform(-2, 2);
    suite.add(softmax_case(dtype, {1}, 0, values));
    suite.add(softmax_case(dtype, {7}, -1, values));
    suite.add(softmax_case(dtype, {3, 1}, 1, values));
    suite.add(softmax_case(dtype, {3, 5}, -1, values));
    suite.add(softmax_case(dtype, {3, 5}, 0, values));
    suite.add(softmax_case(dtype, {2, 3, 4}, 1, values));
    suite.add(softmax_case(dtype, {2, 3, 4}, -3, values));
    suite.add(softmax_case(dtype, {0, 3}, 1, values));
    suite.add(softmax_case(dtype, {9, 33}, 1, values));
    suite.add(softmax_case(dtype, {4, 3, 5, 7}, 1, values));
    suite.add(softmax_case(dtype, {65, 257}, 1, values, ", large"));
    suite.add(softmax_case(dtype, {40, 65}, 0, values, ", large"));
    // Neither overflow nor 0 / 0.
    suite.add(softmax_case(dtype, {3, 9}, 1, uniform(900, 1000), ", large values"));
    suite.add(softmax_case(dtype, {3, 9}, 1, uniform(-300, 300), ", far apart"));
  }
}

}  // namespace loci::conformance
