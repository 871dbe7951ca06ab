// conv2d_transpose, as the gradient of a convolution whose image is the result.
#include <loci/ops.hpp>

#include "tools/conformance/case.h"
#include "tools/conformance/convolution.h"

namespace loci::conformance {
namespace {

// Extents of the image that no window reaches are output_padding.
ConvTranspose2dOptions options_of(const Convolution& op) {
  const Conv2dOptions& given = op.options;
  ConvTranspose2dOptions options{given.strides, given.paddings, {}, given.dilations, given.groups};
  for (std::size_t d = 0; d < 2; ++d) {
    const bool is_pair = given.paddings.size() == 2;
    const std::int64_t around =
        is_pair ? 2 * given.paddings[d] : given.paddings[2 * d] + given.paddings[2 * d + 1];
    const std::int64_t span = given.dilations[d] * (op.filter[2 + d] - 1) + 1;
    options.output_padding.push_back((op.x[2 + d] + around - span) % given.strides[d]);
  }
  return options;
}

std::vector<Expected> reference(const Convolution& op, const Arrays& in) {
  Sums sums(in[0].dtype, op.x);
  for_each_product(op, [&](const Index& image, const Index& filter, const Index& x) {
    sums.add(image, in[0].at(x) * in[1].at(filter));
  });
  return {sums.finish()};
}

Case transposed_case(DType dtype, const Convolution& op) {
  return {.op = "conv2d_transpose",
          .variant = op.variant,
          .inputs = {{dtype, result_shape(op), uniform(-1, 1)}, {dtype, op.filter, uniform(-1, 1)}},
          .build =
              [=](const Variables& in) {
                return Variables{conv2d_transpose(in[0], in[1], options_of(op))};
              },
          .reference = [=](const Arrays& in) { return reference(op, in); },
          .differentiate = {0, 1}};
}

const std::vector<Convolution>& convolutions_back() {
  static const std::vector<Convolution> kRows = {
      {{1, 1, 1, 1}, {1, 1, 1, 1}, {}, false, "one element"},
      {{2, 3, 5, 4}, {4, 3, 3, 2}, {}, false, "plain"},
      {{1, 2, 8, 9}, {3, 2, 4, 3}, {.strides = {2, 3}}, false, "strides"},
      {{1, 2, 9, 11}, {3, 2, 4, 3}, {.strides = {2, 3}}, false, "output padding"},
      {{1, 2, 6, 7}, {3, 2, 3, 3}, {.paddings = {1, 2}}, false, "paddings"},
      {{1, 2, 6, 7}, {3, 2, 3, 3}, {.paddings = {0, 1, 2, 1}}, false, "uneven paddings"},
      {{1, 2, 8, 9}, {3, 2, 3, 2}, {.dilations = {2, 3}}, false, "dilations"},
      {{2, 4, 5, 5}, {6, 2, 3, 3}, {.paddings = {1, 1}, .groups = 2}, false, "groups"},
      {{2, 3, 6, 6},
       {3, 1, 4, 4},
       {.strides = {2, 2}, .paddings = {1, 1}, .groups = 3},
       false,
       "depthwise"},
      {{1, 2, 10, 9},
       {4, 1, 3, 3},
       {.strides = {2, 1}, .paddings = {2, 1, 0, 3}, .dilations = {1, 2}, .groups = 2},
       false,
       "all of it"},
      {{0, 2, 5, 5}, {3, 2, 3, 3}, {}, false, "no images"},
      {{3, 5, 4, 6}, {7, 5, 1, 1}, {}, false, "pointwise"},
      {{1, 9, 22, 24}, {16, 9, 4, 4}, {.strides = {2, 2}, .paddings = {1, 1}}, false, "large"},
  };
  return kRows;
}

}  // namespace

void add_conv2d_transpose_cases(Suite& suite) {
  for (const DType dtype : kFloatTypes) {
    for (const Convolution& op : convolutions_back()) suite.add(transposed_case(dtype, op));
  }
}

}  // namespace loci::conformance
