// conv2d and the gradients of its image and filter, as ops of their own too.
#include <fmt/format.h>

#include <loci/ops.hpp>

#include "tools/conformance/case.h"
#include "tools/conformance/convolution.h"

namespace loci::conformance {
namespace {

// The convolution of the result's gradient that the image's is, where Winograd's method may make
// it: by the taps turned round, with filters for channels.
Convolution turned_round(const Convolution& op) {
  const WindowStart start = window_start(op);
  const Shape result = result_shape(op);
  std::vector<std::int64_t> paddings;
  for (int d = 0; d < 2; ++d) {
    const std::int64_t before = 2 - start.before[d];
    paddings.push_back(before);
    paddings.push_back(op.x[2 + d] + 2 - result[2 + d] - before);
  }
  return {result, {op.filter[1], op.filter[0], 3, 3}, {.paddings = paddings}, false, op.variant};
}

Array turned_round(const Array& filter) {
  const Shape& shape = filter.shape;
  Array turned{filter.dtype, {shape[1], shape[0], 3, 3}};
  for (std::size_t i = 0; i < turned.size(); ++i) {
    const Index to = index_of(turned.shape, i);
    turned.values[i] = filter.at({to[1], to[0], 2 - to[2], 2 - to[3]});
  }
  return turned;
}

std::vector<Expected> turned_reference(const Convolution& op, const Arrays& in) {
  return {convolution(turned_round(op), {in[1], turned_round(in[0])})};
}

std::vector<Expected> image_grad_reference(const Convolution& op, const Arrays& in) {
  Sums sums(in[0].dtype, op.x);
  for_each_product(op, [&](const Index& x, const Index& filter, const Index& out) {
    sums.add(x, in[0].at(filter) * in[1].at(out));
  });
  return {sums.finish()};
}

std::vector<Expected> filter_grad_reference(const Convolution& op, const Arrays& in) {
  Sums sums(in[0].dtype, op.filter);
  for_each_product(op, [&](const Index& x, const Index& filter, const Index& out) {
    sums.add(filter, in[0].at(x) * in[1].at(out));
  });
  return {sums.finish()};
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
  Case result{
      .op = "conv2d",
      .variant = op.variant,
      .inputs = {{dtype, op.x, uniform(-1, 1)}, {dtype, op.filter, uniform(-1, 1)}},
      .build =
          [=](const Variables& in) {
            const Variable bias = op.bias ? in[2] : Variable();
            return Variables{conv2d(in[0], in[1], op.options, bias)};
          },
      .reference = [=](const Arrays& in) { return std::vector<Expected>{convolution(op, in)}; },
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
      {{2, 16, 17, 19}, {22, 16, 3, 3}, {.paddings = {1, 1}}, true, "large"},
      {{1, 33, 14, 13}, {17, 33, 1, 1}, {}, false, "large, pointwise"},
      {{2, 32, 12, 12},
       {32, 1, 3, 3},
       {.paddings = {1, 1}, .groups = 32},
       true,
       "large, depthwise"},
      {{2, 18, 13, 15},
       {11, 18, 3, 2},
       {.strides = {2, 3}, .paddings = {1, 2}, .dilations = {1, 2}},
       true,
       "large, strides"},
      {{2, 3, 40, 39}, {6, 3, 3, 3}, {}, false, "large, many windows"},
  };
  return kRows;
}

// Winograd's method pays for these sizes.
const std::vector<Convolution>& transformed_convolutions() {
  static const std::vector<Convolution> kRows = {
      {{1, 32, 10, 11}, {32, 32, 3, 3}, {.paddings = {1, 1}}, true, "many channels"},
      {{1, 33, 12, 11}, {40, 33, 3, 3}, {.paddings = {0, 1, 2, 1}}, false, "odd channels"},
      {{1, 48, 20, 19}, {49, 48, 3, 3}, {.paddings = {0, 2}}, false, "channels of many pixels"},
  };
  return kRows;
}

Case transformed_case(const Convolution& op) {
  Case subject = forward_case(kFloat32, op);
  subject.differentiate.clear();
  return subject;
}

Case transformed_grad_case(const Convolution& op) {
  Case subject = image_grad_case(kFloat32, op);
  subject.differentiate.clear();
  subject.reference = [=](const Arrays& in) { return turned_reference(op, in); };
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
  for (const Convolution& op : transformed_convolutions()) {
    suite.add(transformed_case(op));
    suite.add(transformed_grad_case(op));
  }
}

}  // namespace loci::conformance
