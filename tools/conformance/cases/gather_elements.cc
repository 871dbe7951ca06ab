// gather_elements, scatter_elements and the gradient of what is written.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <loci/ops.hpp>

#include "tools/conformance/case.h"
#include "tools/conformance/rearrange.h"
#include "tools/conformance/scatter.h"

namespace loci::conformance {
namespace {

struct Elements {
  Shape x;
  Shape index;
  int axis;
};

std::size_t element_axis(const Elements& op) {
  return static_cast<std::size_t>(op.axis < 0 ? op.axis + op.x.rank() : op.axis);
}

std::int64_t axis_extent(const Elements& op) { return op.x[static_cast<int>(element_axis(op))]; }

// The index in x that an element of `positions` names.
Index named_element(const Elements& op, const Array& positions, std::size_t offset) {
  Index at = index_of(op.index, offset);
  at[element_axis(op)] = position_at(positions, offset, axis_extent(op));
  return at;
}

Destination destination(const Elements& op, const Array& positions) {
  return [&op, &positions, frame = Array(kBool, op.x)](std::size_t offset) {
    return frame.offset(named_element(op, positions, offset));
  };
}

Case gather_elements_case(DType dtype, DType index, const Elements& op) {
  return {
      .op = "gather_elements",
      .variant = fmt::format("axis {} by {}", op.axis, dtype_name(index)),
      .inputs = {{dtype, op.x, small_values(dtype)}, {index, op.index, positions(axis_extent(op))}},
      .build =
          [=](const Variables& in) { return Variables{gather_elements(in[0], in[1], op.axis)}; },
      .reference =
          [=](const Arrays& in) {
            Expected out = Expected::exact(in[0].dtype, op.index);
            for (std::size_t i = 0; i < out.size(); ++i) {
              out.values[i] = in[0].at(named_element(op, in[1], i));
            }
            return std::vector{out};
          },
      .differentiate = {0}};
}

Case scatter_elements_case(DType dtype, DType index, const Elements& op,
                           const std::string& reduction) {
  return {.op = "scatter_elements",
          .variant = fmt::format("{} axis {} by {}", reduction, op.axis, dtype_name(index)),
          .inputs = {{dtype, op.x, scatter_values(dtype, reduction)},
                     {index, op.index, positions(axis_extent(op))},
                     {dtype, op.index, scatter_values(dtype, reduction)}},
          .build =
              [=](const Variables& in) {
                return Variables{scatter_elements(in[0], in[1], in[2], op.axis, reduction)};
              },
          .reference =
              [=](const Arrays& in) {
                return std::vector{scattered(in[0], in[2], reduction, destination(op, in[1]))};
              },
          .differentiate = differentiable(reduction)};
}

// NaN, infinities and what they meet.
Case special_scatter_case(DType dtype, const std::string& reduction) {
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  const Real nan = std::nanl("");
  const Elements op{{7}, {12}, 0};
  Case subject = scatter_elements_case(dtype, kInt32, op, reduction);
  subject.variant += " of special values";
  subject.inputs[0].values = cycle({1, nan, kInfinity, -kInfinity, 2, 3, nan});
  subject.inputs[1].values = cycle({0, 1, 2, 3, 4, 5});
  subject.inputs[2].values = cycle({nan, 1, -kInfinity, 5, kInfinity, 7, 8, 9});
  subject.differentiate = {};
  return subject;
}

Case scatter_elements_grad_case(DType dtype, const Elements& op) {
  return {.op = "scatter_elements_grad",
          .variant = fmt::format("axis {}", op.axis),
          .inputs = {{dtype, op.x, uniform(-2, 2)}, {kInt64, op.index, positions(axis_extent(op))}},
          .build =
              [=](const Variables& in) {
                return OpCall<Variable>("scatter_elements_grad")
                    .input("out_grad", in[0])
                    .input("index", in[1])
                    .attr("axis", static_cast<std::int64_t>(op.axis))
                    .results();
              },
          .reference =
              [=](const Arrays& in) {
                return std::vector{gradient_of_last(in[0], op.index, destination(op, in[1]))};
              },
          .differentiate = {0}};
}

void add_scatter_elements(Suite& suite, const Elements& op) {
  for (const std::string_view name : kReductions) {
    const std::string reduction(name);
    for (const DType dtype : kAllTypes) {
      if (dtype == kBool && reduction != "none") continue;
      suite.add(scatter_elements_case(dtype, kInt32, op, reduction));
    }
  }
  for (const DType dtype : kFloatTypes) suite.add(scatter_elements_grad_case(dtype, op));
}

}  // namespace

void add_gather_elements_cases(Suite& suite) {
  const Elements places[] = {
      {{5}, {7}, 0},
      {{1}, {1}, 0},
      {{5}, {0}, 0},
      {{5, 3}, {4, 3}, 0},
      {{5, 3}, {9, 2}, 0},
      {{5, 3}, {5, 9}, 1},
      {{5, 3}, {2, 4}, -1},
      {{2, 5, 3}, {2, 4, 3}, 1},
      {{2, 5, 3}, {1, 9, 2}, -2},
      {{3, 4, 5}, {2, 3, 6}, 2},
      {{3, 4, 5}, {7, 2, 5}, 0},
      {{0, 5}, {0, 3}, 1},
      {{5, 0}, {3, 0}, 0},
      {{2, 3, 2, 3, 2, 2, 1, 2}, {2, 3, 1, 3, 5, 2, 1, 2}, 4},
  };
  for (const Elements& op : places) {
    for (const DType dtype : kAllTypes) suite.add(gather_elements_case(dtype, kInt32, op));
    add_scatter_elements(suite, op);
  }
  for (const DType dtype : kFloatTypes) {
    for (const std::string_view reduction : kReductions) {
      suite.add(special_scatter_case(dtype, std::string(reduction)));
    }
  }
  // More positions than a block of a device sorts.
  const Elements large[] = {{{50, 40}, {70, 40}, 0}, {{33, 60}, {30, 90}, 1}};
  for (const Elements& op : large) {
    suite.add(gather_elements_case(kFloat32, kInt64, op));
    for (const std::string_view reduction : kReductions) {
      suite.add(scatter_elements_case(kFloat32, kInt64, op, std::string(reduction)));
      suite.add(scatter_elements_case(kBFloat16, kInt64, op, std::string(reduction)));
    }
  }
}

}  // namespace loci::conformance
