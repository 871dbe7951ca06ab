// pool2d and its gradient.
#include <cmath>
#include <limits>
#include <loci/ops.hpp>
#include <string>

#include "tools/conformance/case.h"
#include "tools/conformance/window.h"

namespace loci::conformance {
namespace {

struct Pooling {
  Shape x;
  Pool2dOptions options;
  std::string variant;
};

bool is_max(const Pooling& op) { return op.options.pooling_type == "max"; }

WindowPlaces places_of(const Pooling& op, std::size_t d) {
  if (op.options.global_pooling) return {0, 1, op.x[static_cast<int>(d) + 2]};
  const WindowRow row{op.x[static_cast<int>(d) + 2], op.options.ksize[d], op.options.strides[d], 1};
  return place_windows(row, op.options.paddings, d, op.options.padding_algorithm,
                       op.options.ceil_mode);
}

std::int64_t kernel_of(const Pooling& op, std::size_t d) {
  return op.options.global_pooling ? op.x[static_cast<int>(d) + 2] : op.options.ksize[d];
}

Shape result_shape(const Pooling& op) {
  return {op.x[0], op.x[1], places_of(op, 0).count, places_of(op, 1).count};
}

struct WindowElements {
  std::vector<std::size_t> inside;  // of x, in C order
  Real divisor = 0;                 // what their sum is divided by
};

// The elements under one window. What lies behind the padding that was asked for counts nowhere.
WindowElements window_of(const Pooling& op, const Array& x, const Index& out) {
  WindowElements elements;
  const std::int64_t stride[2] = {op.options.global_pooling ? 1 : op.options.strides[0],
                                  op.options.global_pooling ? 1 : op.options.strides[1]};
  const WindowPlaces rows = places_of(op, 0);
  const WindowPlaces columns = places_of(op, 1);
  const std::int64_t top = out[2] * stride[0] - rows.before;
  const std::int64_t left = out[3] * stride[1] - columns.before;
  for (std::int64_t i = top; i < top + kernel_of(op, 0) && i < rows.end; ++i) {
    for (std::int64_t j = left; j < left + kernel_of(op, 1) && j < columns.end; ++j) {
      const bool is_inside = i >= 0 && i < op.x[2] && j >= 0 && j < op.x[3];
      if (is_inside) elements.inside.push_back(x.offset({out[0], out[1], i, j}));
      if (is_inside || !op.options.exclusive) elements.divisor += 1;
    }
  }
  return elements;
}

// The first of equal ones.
std::size_t largest(const Array& x, const std::vector<std::size_t>& window) {
  std::size_t best = window.front();
  for (const std::size_t i : window) {
    if (x.values[i] > x.values[best]) best = i;
  }
  return best;
}

std::vector<Expected> forward_reference(const Pooling& op, const Array& x) {
  Expected out = is_max(op) ? Expected::exact(x.dtype, result_shape(op))
                            : Expected::bounded(x.dtype, result_shape(op));
  for (std::size_t o = 0; o < out.size(); ++o) {
    const auto window = window_of(op, x, index_of(out.shape, o));
    if (is_max(op)) {
      out.values[o] = x.values[largest(x, window.inside)];
      continue;
    }
    Real sum = 0;
    Real magnitude = 0;
    for (const std::size_t i : window.inside) {
      sum += x.values[i];
      magnitude += std::abs(x.values[i]);
    }
    // The sum, the division, and the reciprocal if there is one.
    out.values[o] = sum / window.divisor;
    out.slack[o] = static_cast<Real>(window.inside.size() + 2) * magnitude / window.divisor;
  }
  return {out};
}

std::vector<Expected> grad_reference(const Pooling& op, const Array& x, const Array& out_grad) {
  Expected grad = Expected::bounded(x.dtype, x.shape);
  std::vector<Real> terms(grad.size(), Real{2});
  const auto add = [&](std::size_t i, Real term) {
    grad.values[i] += term;
    grad.slack[i] += std::abs(term);
    terms[i] += 1;
  };
  for (std::size_t o = 0; o < out_grad.size(); ++o) {
    const auto window = window_of(op, x, index_of(out_grad.shape, o));
    if (is_max(op)) {
      add(largest(x, window.inside), out_grad.values[o]);
      continue;
    }
    for (const std::size_t i : window.inside) add(i, out_grad.values[o] / window.divisor);
  }
  for (std::size_t i = 0; i < grad.size(); ++i) grad.slack[i] *= terms[i];
  return {grad};
}

OpCall<Variable> grad_call(const Pool2dOptions& options) {
  OpCall<Variable> call("pool2d_grad");
  call.attr("pooling_type", options.pooling_type)
      .attr("ksize", options.ksize)
      .attr("strides", options.strides)
      .attr("paddings", options.paddings)
      .attr("padding_algorithm", options.padding_algorithm)
      .attr("ceil_mode", options.ceil_mode)
      .attr("exclusive", options.exclusive)
      .attr("global_pooling", options.global_pooling);
  return call;
}

std::string variant(const Pooling& op) { return op.options.pooling_type + ", " + op.variant; }

Case forward_case(DType dtype, const Pooling& op, const Generator& values) {
  const bool small = op.x.numel() < 1000;
  return {.op = "pool2d",
          .variant = variant(op),
          .inputs = {{dtype, op.x, values}},
          .build = [=](const Variables& in) { return Variables{pool2d(in[0], op.options)}; },
          .reference = [=](const Arrays& in) { return forward_reference(op, in[0]); },
          .differentiate = small ? std::vector<std::size_t>{0} : std::vector<std::size_t>{}};
}

// Max pooling cannot be differentiated twice.
Case grad_case(DType dtype, const Pooling& op, const Generator& values) {
  const bool smooth = !is_max(op) && op.x.numel() < 1000;
  return {.op = "pool2d_grad",
          .variant = variant(op),
          .inputs = {{dtype, op.x, values}, {dtype, result_shape(op), uniform(-1, 1)}},
          .build =
              [=](const Variables& in) {
                return grad_call(op.options)
                    .input("x", in[0])
                    .input("out", pool2d(in[0], op.options))
                    .input("out_grad", in[1])
                    .results();
              },
          .reference = [=](const Arrays& in) { return grad_reference(op, in[0], in[1]); },
          .differentiate = smooth ? std::vector<std::size_t>{1} : std::vector<std::size_t>{}};
}

void add_options(Suite& suite, const std::string& type, bool exclusive) {
  std::vector<Pooling> rows = {
      {{1, 1, 1, 1}, {.ksize = {1, 1}, .strides = {1, 1}}, "one element"},
      {{2, 3, 6, 4}, {}, "plain"},
      {{1, 2, 7, 5}, {.ksize = {3, 2}, .strides = {1, 2}}, "overlapping"},
      {{1, 2, 7, 8}, {.ksize = {2, 2}, .strides = {3, 3}}, "gaps"},
      {{1, 2, 5, 6}, {.ksize = {3, 3}, .paddings = {1, 2}}, "paddings"},
      {{1, 2, 5, 6}, {.ksize = {3, 3}, .paddings = {0, 2, 1, 0}}, "uneven paddings"},
      {{1, 2, 6, 7}, {.ksize = {3, 3}, .ceil_mode = true}, "ceil"},
      {{1, 2, 6, 7},
       {.ksize = {3, 3}, .strides = {2, 2}, .paddings = {1, 1}, .ceil_mode = true},
       "ceil, paddings"},
      {{1, 1, 5, 4},
       {.ksize = {2, 2}, .strides = {3, 3}, .paddings = {1, 1}, .ceil_mode = true},
       "ceil, no window in padding alone"},
      {{1, 2, 6, 7},
       {.ksize = {3, 4}, .strides = {2, 3}, .paddings = {0, 1, 2, 0}, .ceil_mode = true},
       "ceil, uneven paddings"},
      {{1, 2, 6, 7},
       {.ksize = {3, 2}, .strides = {2, 2}, .padding_algorithm = "VALID", .ceil_mode = true},
       "ceil, valid"},
      {{1, 2, 7, 6}, {.ksize = {3, 2}, .strides = {2, 2}, .padding_algorithm = "SAME"}, "same"},
      {{1, 2, 7, 6}, {.ksize = {3, 2}, .paddings = {9, 9}, .padding_algorithm = "VALID"}, "valid"},
      {{2, 3, 5, 4}, {.paddings = {9, 9}, .global_pooling = true}, "global"},
      {{2, 3, 5, 4}, {.ksize = {}, .global_pooling = true}, "global, no size"},
      {{0, 2, 4, 4}, {}, "no images"},
      {{2, 17, 19, 21}, {.ksize = {3, 3}, .strides = {2, 2}, .paddings = {1, 1}}, "large"},
      {{2, 32, 16, 16}, {}, "large, even"},
      {{2, 32, 17, 18}, {.ksize = {3, 3}, .ceil_mode = true}, "large, ceil"},
      {{2, 32, 17, 18},
       {.ksize = {5, 4}, .strides = {3, 3}, .paddings = {1, 2}, .ceil_mode = true},
       "large, ceil, paddings"},
  };
  for (Pooling& op : rows) {
    op.options.pooling_type = type;
    op.options.exclusive = exclusive;
    if (!exclusive) op.variant += ", padding counts";
    for (const DType dtype : kFloatTypes) {
      suite.add(forward_case(dtype, op, distinct(0.25L)));
      suite.add(grad_case(dtype, op, distinct(0.25L)));
    }
  }
}

// All elements negative: padding must not count as 0. Equal elements: the gradient goes to the
// first.
void add_max_cases(Suite& suite, DType dtype) {
  const Pool2dOptions options{.ksize = {3, 3}, .strides = {2, 2}, .paddings = {1, 1}};
  suite.add(forward_case(dtype, {{1, 2, 5, 6}, options, "all negative"}, uniform(-4, -3)));
  suite.add(grad_case(dtype, {{1, 2, 5, 6}, options, "ties"}, integers(0, 1)));
}

}  // namespace

void add_pool2d_cases(Suite& suite) {
  add_options(suite, "max", /*exclusive=*/true);
  add_options(suite, "avg", /*exclusive=*/true);
  add_options(suite, "avg", /*exclusive=*/false);
  for (const DType dtype : kFloatTypes) add_max_cases(suite, dtype);
}

}  // namespace loci::conformance
