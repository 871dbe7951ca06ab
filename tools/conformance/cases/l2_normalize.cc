// l2_normalize along any axis, and its gradient op.
#include <fmt/format.h>

#include <cmath>
#include <loci/ops.hpp>

#include "tools/conformance/broadcast.h"
#include "tools/conformance/case.h"

namespace loci::conformance {
namespace {

DType norm_dtype(DType dtype) { return dtype_size(dtype) == 2 ? kFloat32 : dtype; }

Shape norm_shape(const Shape& shape, int axis) {
  Shape result = shape;
  result.set(axis < 0 ? axis + shape.rank() : axis, 1);
  return result;
}

// The sum of n squares, a root that halves its error, and a quotient.
std::vector<Expected> reference(const Array& x, int axis, double epsilon) {
  const Shape shape = norm_shape(x.shape, axis);
  Expected norm = Expected::bounded(norm_dtype(x.dtype), shape);
  const auto count = static_cast<Real>(x.extent(axis));
  const auto at = [&](std::size_t i) {
    return norm.offset(broadcast_index(shape, index_of(x.shape, i)));
  };
  for (std::size_t i = 0; i < x.size(); ++i) norm.values[at(i)] += x.values[i] * x.values[i];
  for (std::size_t i = 0; i < norm.size(); ++i) {
    norm.values[i] = std::sqrt(norm.values[i] + epsilon);
    norm.slack[i] = norm.values[i] * (count / 2 + 2);
  }
  Expected out = Expected::bounded(x.dtype, x.shape);
  for (std::size_t i = 0; i < x.size(); ++i) {
    out.values[i] = x.values[i] / norm.values[at(i)];
    out.slack[i] = std::abs(out.values[i]) * (count / 2 + 4);
  }
  return {out, norm};
}

Case normalize_case(DType dtype, const Shape& shape, int axis, double epsilon,
                    const Generator& values, const char* more = "") {
  const bool smooth = *more == '\0';
  return {
      .op = "l2_normalize",
      .variant = fmt::format("axis {} epsilon {}{}", axis, epsilon, more),
      .inputs = {{dtype, shape, values}},
      .build =
          [=](const Variables& in) {
            return OpCall<Variable>("l2_normalize")
                .input("x", in[0])
                .attr("axis", static_cast<std::int64_t>(axis))
                .attr("epsilon", epsilon)
                .results();
          },
      .reference = [=](const Arrays& in) { return reference(in[0], axis, epsilon); },
      .differentiate = smooth ? std::vector<std::size_t>{0} : std::vector<std::size_t>{},
      // A sum along the axis cancels against the gradient that comes in.
      .gradient_slack = 64 + 4 * static_cast<Real>(shape[axis < 0 ? axis + shape.rank() : axis])};
}

// (dy - y sum(y dy)) / norm.
std::vector<Expected> grad_reference(const Arrays& in, int axis) {
  const Array& out = in[0];
  const Array& norm = in[1];
  const Array& grad = in[2];
  const auto at = [&](std::size_t i) {
    return norm.offset(broadcast_index(norm.shape, index_of(out.shape, i)));
  };
  std::vector<Real> sums(norm.size());
  std::vector<Real> magnitudes(norm.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    sums[at(i)] += out.values[i] * grad.values[i];
    magnitudes[at(i)] += std::abs(out.values[i] * grad.values[i]);
  }
  Expected x_grad = Expected::bounded(out.dtype, out.shape);
  const auto count = static_cast<Real>(out.extent(axis));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Real length = norm.values[at(i)];
    x_grad.values[i] = (grad.values[i] - out.values[i] * sums[at(i)]) / length;
    const Real product = std::abs(out.values[i]) * magnitudes[at(i)] * (count + 2);
    x_grad.slack[i] =
        (product + 2 * std::abs(grad.values[i])) / length + std::abs(x_grad.values[i]);
  }
  return {x_grad};
}

// Gradients of the gradient with respect to all three inputs.
Case grad_case(DType dtype, const Shape& shape, int axis) {
  return {.op = "l2_normalize_grad",
          .variant = fmt::format("axis {}", axis),
          .inputs = {{dtype, shape, uniform(-1, 1)},
                     {norm_dtype(dtype), norm_shape(shape, axis), uniform(1, 3)},
                     {dtype, shape, uniform(-1, 1)}},
          .build =
              [=](const Variables& in) {
                return OpCall<Variable>("l2_normalize_grad")
                    .input("out", in[0])
                    .input("norm", in[1])
                    .input("out_grad", in[2])
                    .attr("axis", static_cast<std::int64_t>(axis))
                    .results();
              },
          .reference = [=](const Arrays& in) { return grad_reference(in, axis); },
          .differentiate = is_floating(dtype) && dtype_size(dtype) > 2
                               ? std::vector<std::size_t>{0, 1, 2}
                               : std::vector<std::size_t>{},
          .gradient_slack = 512};
}

}  // namespace

void add_l2_normalize_cases(Suite& suite) {
  for (const DType dtype : kFloatTypes) {
    struct {
      Shape shape;
      int axis;
    } const rows[] = {{{1}, 0},     {{7}, -1},        {{3, 1}, 1},     {{3, 5}, -1},
                      {{3, 5}, 0},  {{2, 3, 4}, 1},   {{2, 3, 4}, -3}, {{0, 3}, 1},
                      {{9, 33}, 1}, {{4, 3, 5, 7}, 1}};
    for (const auto& row : rows) {
      suite.add(normalize_case(dtype, row.shape, row.axis, 1e-12, uniform(0.5L, 2)));
      suite.add(normalize_case(dtype, row.shape, row.axis, 0.5, uniform(-2, 2)));
      suite.add(grad_case(dtype, row.shape, row.axis));
    }
    suite.add(normalize_case(dtype, {33, 1031}, 1, 1e-12, uniform(-2, 2), ", large"));
    suite.add(normalize_case(dtype, {1031, 65}, 0, 1e-12, uniform(-2, 2), ", large"));
    // Rows of whole vectors, few and many to a row.
    for (const std::int64_t count : {48, 1032}) {
      suite.add(normalize_case(dtype, {3, count}, 1, 1e-12, uniform(-2, 2), ", whole vectors"));
      suite.add(grad_case(dtype, {3, count}, 1));
    }
    // A vector of zeros stays, and squares that a float does not hold do no harm.
    suite.add(normalize_case(dtype, {3, 8}, 1, 1e-12, cycle({0}), ", zeros"));
    const Real huge = dtype == kFloat16 ? 60000 : 1e30L;
    suite.add(normalize_case(dtype, {3, 8}, 1, 1e-12, uniform(-huge, huge), ", huge"));
  }
}

}  // namespace loci::conformance
