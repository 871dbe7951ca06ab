// conv2d and the gradients of its image and filter, as ops of their own too.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <loci/ops.hpp>

#include "tools/conformance/case.h"
#include "tools/conformance/window.h"

namespace loci::conformance {
namespace {

struct Convolution {
  Shape x;
  Shape filter;
  Conv2dOptions options;
  bool bias = false;
  const char* variant = "";
};

Shape result_shape(const Convolution& op) {
  Shape result{op.x[0], op.filter[0]};
  for (std::size_t d = 0; d < 2; ++d) {
    const int axis = static_cast<int>(d) + 2;
    const WindowRow row{op.x[axis], op.filter[axis], op.options.strides[d],
                        op.options.dilations[d]};
    result.push_back(
        place_windows(row, op.options.paddings, d, op.options.padding_algorithm).count);
  }
  return result;
}

// Calls visit(x index, filter index, result index) for every product of the convolution.
template <class Visit>
void for_each_product(const Convolution& op, const Visit& visit) {
  const Conv2dOptions& options = op.options;
  const Shape result = result_shape(op);
  const Shape& filter = op.filter;
  const std::int64_t filters_per_group = filter[0] / options.groups;
  std::int64_t before[2];
  for (std::size_t d = 0; d < 2; ++d) {
    const int axis = static_cast<int>(d) + 2;
    const WindowRow row{op.x[axis], filter[axis], options.strides[d], options.dilations[d]};
    before[d] = place_windows(row, options.paddings, d, options.padding_algorithm).before;
  }
  for (std::size_t o = 0; o < static_cast<std::size_t>(result.numel()); ++o) {
    const Index to = index_of(result, o);
    for (std::size_t k = 0; k < static_cast<std::size_t>(filter.numel() / filter[0]); ++k) {
      const Index tap = index_of({filter[1], filter[2], filter[3]}, k);
      const std::int64_t channel = to[1] / filters_per_group * filter[1] + tap[0];
      const std::int64_t y = to[2] * options.strides[0] - before[0] + tap[1] * options.dilations[0];
      const std::int64_t x = to[3] * options.strides[1] - before[1] + tap[2] * options.dilations[1];
      if (y < 0 || y >= op.x[2] || x < 0 || x >= op.x[3]) continue;
      visit(Index{to[0], channel, y, x}, Index{to[1], tap[0], tap[1], tap[2]}, to);
    }
  }
}

// Sums of products that are collected in any order.
class Sums {
 public:
  Sums(DType dtype, const Shape& shape)
      : sums_(Expected::bounded(dtype, shape)), terms_(sums_.size()) {}

  void add(const Index& index, Real term) {
    const std::size_t i = sums_.offset(index);
    sums_.values[i] += term;
    sums_.slack[i] += std::abs(term);
    terms_[i] += 1;
  }
  // n terms: n roundings of sums and products.
  [[nodiscard]] std::vector<Expected> finish() {
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_.slack[i] *= terms_[i] + 1;
    return {sums_};
  }

 private:
  Expected sums_;
  std::vector<Real> terms_;
};

// Whether the op's bound allows for Winograd's method, where the filter is constant.
bool may_be_transformed(const Convolution& op, DType dtype) {
  const Conv2dOptions& options = op.options;
  const std::vector<std::int64_t> ones{1, 1};
  return dtype == kFloat32 && op.filter[2] == 3 && op.filter[3] == 3 && op.filter[1] >= 24 &&
         options.groups == 1 && options.strides == ones && options.dilations == ones;
}

// The largest |x| of each channel within 3 pixels of the window of a result.
std::vector<Real> maxima_near(const Convolution& op, const Array& x, const Index& result) {
  std::int64_t begin[2];
  for (std::size_t d = 0; d < 2; ++d) {
    const int axis = static_cast<int>(d) + 2;
    const WindowRow row{op.x[axis], 3, 1, 1};
    begin[d] = result[d + 2] -
               place_windows(row, op.options.paddings, d, op.options.padding_algorithm).before - 3;
  }
  std::vector<Real> maxima(static_cast<std::size_t>(op.x[1]));
  for (std::int64_t i = 0; i < op.x[1] * 81; ++i) {
    const std::int64_t row = begin[0] + i / 9 % 9;
    const std::int64_t column = begin[1] + i % 9;
    if (row < 0 || row >= op.x[2] || column < 0 || column >= op.x[3]) continue;
    Real& most = maxima[static_cast<std::size_t>(i / 81)];
    most = std::max(most, std::abs(x.at({result[0], i / 81, row, column})));
  }
  return maxima;
}

// The largest |filter| of each channel.
std::vector<Real> maxima_of(const Convolution& op, const Array& filter, std::int64_t index) {
  std::vector<Real> maxima;
  for (std::int64_t channel = 0; channel < op.filter[1]; ++channel) {
    Real most = 0;
    for (std::int64_t tap = 0; tap < 9; ++tap) {
      most = std::max(most, std::abs(filter.at({index, channel, tap / 3, tap % 3})));
    }
    maxima.push_back(most);
  }
  return maxima;
}

// What the op allows for Winograd's method.
void allow_transforms(const Convolution& op, const Arrays& in, Expected* out) {
  constexpr Real kGrowth = 565;
  const auto roundings = static_cast<Real>(op.filter[1] + 18);
  std::vector<std::vector<Real>> filters;
  for (std::int64_t i = 0; i < op.filter[0]; ++i) filters.push_back(maxima_of(op, in[1], i));
  const std::int64_t results = out->shape[2] * out->shape[3];
  for (std::int64_t i = 0; i < out->shape[0] * results; ++i) {
    Index at{i / results, 0, i % results / out->shape[3], i % out->shape[3]};
    const std::vector<Real> maxima = maxima_near(op, in[0], at);
    for (; at[1] < op.filter[0]; ++at[1]) {
      const std::vector<Real>& filter = filters[static_cast<std::size_t>(at[1])];
      Real sum = op.bias ? std::abs(in[2].at({at[1]})) : 0;
      for (std::size_t c = 0; c < maxima.size(); ++c) sum += kGrowth * maxima[c] * filter[c];
      Real& slack = out->slack[out->offset(at)];
      slack = std::max(slack, roundings * sum);
    }
  }
}

std::vector<Expected> forward_reference(const Convolution& op, const Arrays& in) {
  Sums sums(in[0].dtype, result_shape(op));
  for_each_product(op, [&](const Index& x, const Index& filter, const Index& out) {
    sums.add(out, in[0].at(x) * in[1].at(filter));
  });
  if (op.bias) {
    const Shape shape = result_shape(op);
    for (std::size_t o = 0; o < static_cast<std::size_t>(shape.numel()); ++o) {
      const Index index = index_of(shape, o);
      sums.add(index, in[2].at({index[1]}));
    }
  }
  std::vector<Expected> out = sums.finish();
  if (may_be_transformed(op, in[0].dtype)) allow_transforms(op, in, &out[0]);
  return out;
}

std::vector<Expected> image_grad_reference(const Convolution& op, const Arrays& in) {
  Sums sums(in[0].dtype, op.x);
  for_each_product(op, [&](const Index& x, const Index& filter, const Index& out) {
    sums.add(x, in[0].at(filter) * in[1].at(out));
  });
  return sums.finish();
}

std::vector<Expected> filter_grad_reference(const Convolution& op, const Arrays& in) {
  Sums sums(in[0].dtype, op.filter);
  for_each_product(op, [&](const Index& x, const Index& filter, const Index& out) {
    sums.add(filter, in[0].at(x) * in[1].at(out));
  });
  return sums.finish();
}

OpCall<Variable> call(const char* name, const Conv2dOptions& options) {
  OpCall<Variable> result(name);
  result.attr("strides", options.strides)
      .attr("paddings", options.paddings)
      .attr("dilations", options.dilations)
      .attr("groups", options.groups)
      .attr("padding_algorithm", options.padding_algorithm);
  return result;
}

Case forward_case(DType dtype, const Convolution& op) {
  Case result{.op = "conv2d",
              .variant = op.variant,
              .inputs = {{dtype, op.x, uniform(-1, 1)}, {dtype, op.filter, uniform(-1, 1)}},
              .build =
                  [=](const Variables& in) {
                    const Variable bias = op.bias ? in[2] : Variable();
                    return Variables{conv2d(in[0], in[1], op.options, bias)};
                  },
              .reference = [=](const Arrays& in) { return forward_reference(op, in); },
              .differentiate = {0, 1}};
  if (op.bias) {
    result.inputs.push_back({dtype, {op.filter[0]}, uniform(-1, 1)});
    result.differentiate.push_back(2);
  }
  return result;
}

Case image_grad_case(DType dtype, const Convolution& op) {
  const Shape out = result_shape(op);
  return {.op = "conv2d_grad_input",
          .variant = op.variant,
          .inputs = {{dtype, op.filter, uniform(-1, 1)},
                     {dtype, out, uniform(-1, 1)},
                     {dtype, op.x, uniform(-1, 1)}},
          .build =
              [=](const Variables& in) {
                return call("conv2d_grad_input", op.options)
                    .input("filter", in[0])
                    .input("out_grad", in[1])
                    .input("x", in[2])
                    .results();
              },
          .reference = [=](const Arrays& in) { return image_grad_reference(op, in); },
          .differentiate = {0, 1}};
}

Case filter_grad_case(DType dtype, const Convolution& op) {
  const Shape out = result_shape(op);
  return {.op = "conv2d_grad_filter",
          .variant = op.variant,
          .inputs = {{dtype, op.x, uniform(-1, 1)},
                     {dtype, out, uniform(-1, 1)},
                     {dtype, op.filter, uniform(-1, 1)}},
          .build =
              [=](const Variables& in) {
                return call("conv2d_grad_filter", op.options)
                    .input("x", in[0])
                    .input("out_grad", in[1])
                    .input("filter", in[2])
                    .results();
              },
          .reference = [=](const Arrays& in) { return filter_grad_reference(op, in); },
          .differentiate = {0, 1}};
}

// Whole numbers, so that every order of summation is exact and a lost term shows.
Case exact_case(Case subject) {
  for (Input& input : subject.inputs) input.values = integers(-3, 3);
  subject.variant += " whole numbers";
  subject.differentiate.clear();
  subject.reference = [inner = subject.reference](const Arrays& in) {
    std::vector<Expected> out = inner(in);
    out[0].slack.clear();
    return out;
  };
  return subject;
}

const std::vector<Convolution>& small_convolutions() {
  static const std::vector<Convolution> kRows = {
      {{1, 1, 1, 1}, {1, 1, 1, 1}, {}, false, "one element"},
      {{2, 3, 5, 4}, {4, 3, 3, 2}, {}, false, "plain"},
      {{2, 3, 5, 4}, {4, 3, 3, 2}, {}, true, "bias"},
      {{1, 2, 6, 7}, {3, 2, 3, 3}, {.strides = {2, 3}}, true, "strides"},
      {{1, 2, 6, 7}, {3, 2, 3, 3}, {.paddings = {1, 2}}, true, "paddings"},
      {{1, 2, 6, 7}, {3, 2, 3, 3}, {.paddings = {0, 1, 2, 1}}, false, "uneven paddings"},
      {{1, 2, 8, 9}, {3, 2, 3, 2}, {.dilations = {2, 3}}, false, "dilations"},
      {{2, 4, 5, 5}, {6, 2, 3, 3}, {.paddings = {1, 1}, .groups = 2}, true, "groups"},
      {{2, 3, 5, 5}, {3, 1, 3, 3}, {.paddings = {1, 1}, .groups = 3}, true, "depthwise"},
      {{1, 3, 5, 5}, {6, 1, 3, 3}, {.strides = {2, 2}, .groups = 3}, false, "depthwise, two each"},
      {{1, 2, 7, 6},
       {2, 2, 3, 2},
       {.strides = {2, 2}, .paddings = {9, 9}, .padding_algorithm = "SAME"},
       true,
       "same"},
      {{1, 2, 7, 6},
       {2, 2, 3, 2},
       {.dilations = {2, 1}, .padding_algorithm = "SAME"},
       false,
       "same, dilations"},
      {{1, 2, 7, 6},
       {2, 2, 3, 2},
       {.paddings = {9, 9}, .padding_algorithm = "VALID"},
       false,
       "valid"},
      {{1, 2, 2, 2}, {2, 2, 5, 5}, {.paddings = {2, 2}}, true, "filter over the image"},
      {{1, 2, 9, 9},
       {4, 1, 3, 3},
       {.strides = {2, 1}, .paddings = {2, 1, 0, 3}, .dilations = {1, 2}, .groups = 2},
       true,
       "all of it"},
      {{0, 2, 5, 5}, {3, 2, 3, 3}, {}, true, "no images"},
      {{3, 5, 4, 6}, {7, 5, 1, 1}, {}, true, "pointwise"},
  };
  return kRows;
}

const std::vector<Convolution>& large_convolutions() {
  static const std::vector<Convolution> kRows = {
      {{2, 16, 17, 19}, {32, 16, 3, 3}, {.paddings = {1, 1}}, true, "large"},
      {{1, 33, 14, 13}, {17, 33, 1, 1}, {}, false, "large, pointwise"},
      {{2, 32, 12, 12},
       {32, 1, 3, 3},
       {.paddings = {1, 1}, .groups = 32},
       true,
       "large, depthwise"},
  };
  return kRows;
}

// Of sizes that Winograd's method pays for, by filters that the runner makes constant.
const std::vector<Convolution>& transformed_convolutions() {
  static const std::vector<Convolution> kRows = {
      {{1, 32, 10, 11}, {32, 32, 3, 3}, {.paddings = {1, 1}}, true, "many channels"},
      {{1, 33, 12, 11}, {40, 33, 3, 3}, {.paddings = {0, 1, 2, 1}}, false, "odd channels"},
  };
  return kRows;
}

Case transformed_case(const Convolution& op) {
  Case subject = forward_case(kFloat32, op);
  subject.differentiate.clear();
  return subject;
}

}  // namespace

void add_conv2d_cases(Suite& suite) {
  for (const DType dtype : kFloatTypes) {
    for (const Convolution& op : small_convolutions()) {
      suite.add(forward_case(dtype, op));
      suite.add(image_grad_case(dtype, op));
      suite.add(filter_grad_case(dtype, op));
    }
    for (const Convolution& op : large_convolutions()) {
      suite.add(exact_case(forward_case(dtype, op)));
      suite.add(exact_case(image_grad_case(dtype, op)));
      suite.add(exact_case(filter_grad_case(dtype, op)));
    }
  }
  for (const Convolution& op : transformed_convolutions()) suite.add(transformed_case(op));
}

}  // namespace loci::conformance
