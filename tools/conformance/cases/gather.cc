// gather and its gradient.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <loci/ops.hpp>

#include "tools/conformance/case.h"
#include "tools/conformance/rearrange.h"
#include "tools/conformance/scatter.h"

namespace loci::conformance {
namespace {

struct Gather {
  Shape x;
  Shape index;
  int axis;
};

std::size_t axis_of(const Gather& op) {
  return static_cast<std::size_t>(op.axis < 0 ? op.axis + op.x.rank() : op.axis);
}

Generator positions_along(const Gather& op) {
  return positions(op.x[static_cast<int>(axis_of(op))]);
}

Shape gathered_shape(const Gather& op) {
  Index extents(op.x.begin(), op.x.end());
  const auto at = extents.begin() + static_cast<std::ptrdiff_t>(axis_of(op));
  extents.insert(extents.erase(at), op.index.begin(), op.index.end());
  return Shape(extents);
}

// Where an element of the result comes from.
Index source(const Gather& op, const Array& index, const Index& out) {
  const auto axis = static_cast<std::ptrdiff_t>(axis_of(op));
  const auto begin = out.begin() + axis;
  const auto end = begin + op.index.rank();
  Index from(out.begin(), begin);
  const auto position = static_cast<std::int64_t>(index.at(Index(begin, end)));
  from.push_back(position < 0 ? position + op.x[static_cast<int>(axis)] : position);
  from.insert(from.end(), end, out.end());
  return from;
}

Case gather_case(DType dtype, DType index, const Gather& op) {
  return {.op = "gather",
          .variant = fmt::format("axis {} by {}", op.axis, dtype_name(index)),
          .inputs = {{dtype, op.x, small_values(dtype)}, {index, op.index, positions_along(op)}},
          .build = [=](const Variables& in) { return Variables{gather(in[0], in[1], op.axis)}; },
          .reference =
              [=](const Arrays& in) {
                return std::vector{rearranged(in[0], gathered_shape(op), [&](const Index& out) {
                  return source(op, in[1], out);
                })};
              },
          .differentiate = {0}};
}

// 16-bit floats too, which central differences leave out: each sum is rounded once.
Case gather_grad_case(DType dtype, const Gather& op) {
  return {.op = "gather_grad",
          .variant = fmt::format("axis {}", op.axis),
          .inputs = {{dtype, op.x, uniform(-2, 2)},
                     {kInt32, op.index, positions_along(op)},
                     {dtype, gathered_shape(op), uniform(-2, 2)}},
          .build =
              [=](const Variables& in) {
                return OpCall<Variable>("gather_grad")
                    .input("x", in[0])
                    .input("index", in[1])
                    .input("out_grad", in[2])
                    .attr("axis", static_cast<std::int64_t>(op.axis))
                    .results();
              },
          .reference =
              [=](const Arrays& in) {
                Expected out = Expected::bounded(dtype, op.x);
                std::vector<Real> terms(out.size());
                const Array& grad = in[2];
                for (std::size_t i = 0; i < grad.size(); ++i) {
                  const std::size_t to = out.offset(source(op, in[1], index_of(grad.shape, i)));
                  out.values[to] += grad.values[i];
                  out.slack[to] += std::abs(grad.values[i]);
                  ++terms[to];
                }
                for (std::size_t i = 0; i < out.size(); ++i) out.slack[i] *= terms[i];
                return std::vector{out};
              },
          .differentiate = {2}};
}

}  // namespace

void add_gather_cases(Suite& suite) {
  const Gather gathers[] = {
      {{5}, {}, 0},           {{5}, {7}, 0},        {{5, 3}, {4}, 0},
      {{5, 3}, {2, 4}, 0},    {{3, 5}, {6}, 1},     {{2, 5, 3}, {4}, -2},
      {{2, 4, 3}, {2, 2}, 1}, {{3, 4, 5}, {3}, -1}, {{5, 0}, {3}, 0},
      {{0, 5}, {3}, 1},       {{5, 3}, {0}, 0},     {{2, 3, 2, 3, 2, 2, 1, 2}, {2}, 4},
  };
  for (const DType dtype : kAllTypes) {
    for (const Gather& op : gathers) suite.add(gather_case(dtype, kInt32, op));
    suite.add(gather_case(dtype, kInt64, gathers[3]));
  }
  for (const DType dtype : kFloatTypes) {
    for (const Gather& op : gathers) suite.add(gather_grad_case(dtype, op));
    suite.add(gather_grad_case(dtype, {{7, 300}, {150}, 0}));
    suite.add(gather_grad_case(dtype, {{65, 9, 11}, {40}, 1}));
  }
  suite.add(gather_case(kFloat32, kInt64, {{1000, 37}, {3000}, 0}));
  suite.add(gather_case(kFloat32, kInt64, {{100, 64, 7}, {90}, 1}));
}

}  // namespace loci::conformance
