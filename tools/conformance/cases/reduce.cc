// mean, reduce_sum, reduce_mean and their gradients, reduce_sum_like.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <loci/ops.hpp>

#include "tools/conformance/broadcast.h"
#include "tools/conformance/case.h"
#include "tools/conformance/reduction.h"

namespace loci::conformance {
namespace {

// n terms: n sums in any order. A mean adds a division, or a reciprocal and a product.
std::vector<Expected> reduce(const Reduction& op, const Array& x, bool mean) {
  Expected out = Expected::bounded(x.dtype, kept_shape(op));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t to = out.offset(broadcast_index(out.shape, index_of(x.shape, i)));
    out.values[to] += x.values[i];
    out.slack[to] += std::abs(x.values[i]);
  }
  const auto count = static_cast<Real>(terms(op));
  for (std::size_t i = 0; i < out.size(); ++i) {
    out.slack[i] *= count + 2;
    if (!mean) continue;
    out.values[i] /= count;
    out.slack[i] /= count;
  }
  out.shape = result_shape(op);
  if (!is_floating(x.dtype)) out.slack.clear();
  return {out};
}

std::vector<Expected> repeat(const Reduction& op, const Array& out_grad, bool mean) {
  const Shape kept = kept_shape(op);
  const Array grad(out_grad.dtype, kept, out_grad.values);
  Expected out = mean ? Expected::bounded(grad.dtype, op.x) : Expected::exact(grad.dtype, op.x);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Real value = grad.at(broadcast_index(kept, index_of(op.x, i)));
    out.values[i] = mean ? value / static_cast<Real>(terms(op)) : value;
    if (mean) out.slack[i] = 2 * std::abs(out.values[i]);
  }
  return {out};
}

Generator values_of(DType dtype) { return is_floating(dtype) ? uniform(-2, 2) : integers(0, 3); }

Case reduce_case(DType dtype, const Reduction& op, bool mean) {
  return {.op = mean ? "reduce_mean" : "reduce_sum",
          .variant = variant(op),
          .inputs = {{dtype, op.x, values_of(dtype)}},
          .build =
              [=](const Variables& in) {
                return Variables{mean ? reduce_mean(in[0], op.axes, op.keep_dim)
                                      : reduce_sum(in[0], op.axes, op.keep_dim)};
              },
          .reference = [=](const Arrays& in) { return reduce(op, in[0], mean); },
          .differentiate = {0}};
}

// Whole numbers: a sum is exact in any order, and a lost term shows.
Case exact_sum_case(DType dtype, const Reduction& op) {
  Case result = reduce_case(dtype, op, false);
  result.inputs[0].values = is_floating(dtype) ? integers(-3, 3) : integers(0, 3);
  result.variant += " whole numbers";
  result.differentiate.clear();
  result.reference = [=](const Arrays& in) {
    std::vector<Expected> out = reduce(op, in[0], false);
    out[0].slack.clear();
    return out;
  };
  return result;
}

Case grad_case(DType dtype, const Reduction& op, bool mean) {
  const std::string name = mean ? "reduce_mean_grad" : "reduce_sum_grad";
  return {.op = name,
          .variant = variant(op),
          .inputs = {{dtype, op.x, values_of(dtype)}, {dtype, result_shape(op), values_of(dtype)}},
          .build =
              [=](const Variables& in) {
                return OpCall<Variable>(name)
                    .input("x", in[0])
                    .input("out_grad", in[1])
                    .attr("axes", op.axes)
                    .attr("keep_dim", op.keep_dim)
                    .results();
              },
          .reference = [=](const Arrays& in) { return repeat(op, in[1], mean); },
          .differentiate = {1}};
}

Case mean_case(DType dtype, const Shape& shape) {
  const Reduction all{shape, {}};
  return {.op = "mean",
          .inputs = {{dtype, shape, uniform(-2, 2)}},
          .build = [](const Variables& in) { return Variables{mean(in[0])}; },
          .reference = [=](const Arrays& in) { return reduce(all, in[0], true); },
          .differentiate = {0}};
}

// Sums what broadcasting `like` to the shape of x repeats.
Case sum_like_case(DType dtype, const Shape& x, const Shape& like) {
  Reduction op{x, {}};
  const int added = x.rank() - like.rank();
  for (int i = 0; i < x.rank(); ++i) {
    if (i < added || (like[i - added] == 1 && x[i] != 1)) op.axes.push_back(i);
  }
  return {.op = "reduce_sum_like",
          .inputs = {{dtype, x, values_of(dtype)}, {dtype, like, values_of(dtype)}},
          .build =
              [](const Variables& in) {
                return OpCall<Variable>("reduce_sum_like")
                    .input("x", in[0])
                    .input("like", in[1])
                    .results();
              },
          .reference =
              [=](const Arrays& in) {
                // No axes would mean all of them.
                std::vector<Expected> out{Expected::exact(in[0].dtype, like)};
                if (op.axes.empty()) {
                  out[0].values = in[0].values;
                } else {
                  out = reduce(op, in[0], false);
                }
                out[0].shape = like;
                return out;
              },
          .differentiate = {0}};
}

}  // namespace

void add_reduce_cases(Suite& suite) {
  const Reduction rows[] = {
      {{}, {}},
      {{1}, {}},
      {{5}, {0}},
      {{5}, {-1}, true},
      {{2, 3}, {}},
      {{2, 3}, {}, true},
      {{3, 5}, {0}},
      {{3, 5}, {1}},
      {{3, 5}, {-2}, true},
      {{2, 3, 4}, {1}},
      {{2, 3, 4}, {0, 2}},
      {{2, 3, 4}, {-1, 0}, true},
      {{2, 3, 4}, {1, 2}},
      {{2, 3, 2, 3, 2}, {1, 3}},
      {{2, 3, 2, 3, 2}, {0, 2, 4}, true},
      {{0, 3}, {1}},
      {{17, 33}, {0}},
      {{17, 33}, {1}},
  };
  const Reduction large[] = {{{3, 4099}, {1}},       {{4099, 3}, {0}},
                             {{65, 1000}, {}},       {{7, 129, 33}, {1}},
                             {{7, 129, 33}, {0, 2}}, {{2, 40, 9, 11}, {0, 2, 3}}};
  for (const DType dtype : kAllTypes) {
    if (dtype == kBool) continue;
    for (const Reduction& op : rows) {
      suite.add(reduce_case(dtype, op, false));
      suite.add(grad_case(dtype, op, false));
      if (!is_floating(dtype)) continue;
      suite.add(reduce_case(dtype, op, true));
      suite.add(grad_case(dtype, op, true));
    }
    suite.add(reduce_case(dtype, {{0, 3}, {0}}, false));
    suite.add(reduce_case(dtype, {{0, 3}, {}}, false));
    // More columns than are folded at a time, and rows that are kept.
    suite.add(reduce_case(dtype, {{0, 150}, {0}}, false));
    suite.add(reduce_case(dtype, {{0, 3, 5}, {0, 2}}, false));
    suite.add(sum_like_case(dtype, {2, 3}, {}));
    suite.add(sum_like_case(dtype, {2, 3}, {3}));
    suite.add(sum_like_case(dtype, {2, 3}, {2, 1}));
    suite.add(sum_like_case(dtype, {2, 3}, {2, 3}));
    suite.add(sum_like_case(dtype, {4, 3, 1, 5}, {1, 3, 1, 1}));
    suite.add(sum_like_case(dtype, {0, 3}, {3}));
    for (const Reduction& op : large) suite.add(exact_sum_case(dtype, op));
  }
  for (const DType dtype : kFloatTypes) {
    for (const Shape& shape : {Shape{}, Shape{1}, Shape{7}, Shape{3, 5, 2}, Shape{65, 129}}) {
      suite.add(mean_case(dtype, shape));
    }
    suite.add(reduce_case(dtype, {{3, 4099}, {1}}, true));
  }
}

}  // namespace loci::conformance
