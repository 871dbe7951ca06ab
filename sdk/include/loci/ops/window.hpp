// Convolution and pooling. See loci/ops.hpp for what holds for every op.
#pragma once

#include <cstdint>
#include <loci/op_call.hpp>
#include <loci/ops/elementwise.hpp>
#include <loci/ops/shape.hpp>
#include <string>
#include <vector>

namespace loci {
inline namespace v0 {

struct Conv2dOptions {
  std::vector<std::int64_t> strides{1, 1};
  // [height, width], or [top, bottom, left, right]; not used unless the algorithm is "EXPLICIT".
  std::vector<std::int64_t> paddings{0, 0};
  std::vector<std::int64_t> dilations{1, 1};
  std::int64_t groups = 1;
  // "EXPLICIT"; "VALID": none; "SAME": so that output = ceil(input / stride), the odd one after.
  std::string padding_algorithm = "EXPLICIT";
};

// Cross-correlation. x: [batch, channels, height, width]; filter: [filters, channels / groups,
// height, width]; bias: [filters] or undefined. Floating.
template <class V>
LOCI_OP V conv2d(const V& x, const V& filter, const Conv2dOptions& options = {},
                 const V& bias = {}) {
  return OpCall<V>("conv2d")
      .input("x", x)
      .input("filter", filter)
      .input("bias", bias)
      .attr("strides", options.strides)
      .attr("paddings", options.paddings)
      .attr("dilations", options.dilations)
      .attr("groups", options.groups)
      .attr("padding_algorithm", options.padding_algorithm)
      .result();
}

struct ConvTranspose2dOptions {
  std::vector<std::int64_t> strides{1, 1};
  // They are taken off the result: [height, width], or [top, bottom, left, right].
  std::vector<std::int64_t> paddings{0, 0};
  // It is added at the bottom and the right; [height, width], each less than the stride.
  std::vector<std::int64_t> output_padding{0, 0};
  std::vector<std::int64_t> dilations{1, 1};
  std::int64_t groups = 1;
};

// Transposed convolution: the gradient of conv2d for its image, which goes the other way. x:
// [batch, channels, height, width]; filter: [channels, filters / groups, height, width]; bias:
// [filters] or undefined. Floating. The result is [batch, filters, ...] with the extents
//
//   (extent - 1) * stride + dilation * (filter's - 1) + 1 + output_padding - paddings
//
// as of PyTorch's conv_transpose2d and ONNX's ConvTranspose.
template <class V>
LOCI_OP V conv2d_transpose(const V& x, const V& filter, const ConvTranspose2dOptions& options = {},
                           const V& bias = {}) {
  const V out = OpCall<V>("conv2d_transpose")
                    .input("x", x)
                    .input("filter", filter)
                    .attr("strides", options.strides)
                    .attr("paddings", options.paddings)
                    .attr("output_padding", options.output_padding)
                    .attr("dilations", options.dilations)
                    .attr("groups", options.groups)
                    .result();
  return bias.defined() ? elementwise_add(out, reshape(bias, {1, -1, 1, 1})) : out;
}

struct Pool2dOptions {
  std::string pooling_type = "max";  // or "avg"
  std::vector<std::int64_t> ksize{2, 2};
  std::vector<std::int64_t> strides{2, 2};
  std::vector<std::int64_t> paddings{0, 0};  // as in Conv2dOptions
  std::string padding_algorithm = "EXPLICIT";
  bool ceil_mode = false;       // a last window that is only partly inside counts
  bool exclusive = true;        // an average counts only elements inside, else also the paddings
  bool global_pooling = false;  // one window over all; ksize and paddings are not used
};

// x: [batch, channels, height, width]. Floating.
template <class V>
LOCI_OP V pool2d(const V& x, const Pool2dOptions& options = {}) {
  return OpCall<V>("pool2d")
      .input("x", x)
      .attr("pooling_type", options.pooling_type)
      .attr("ksize", options.ksize)
      .attr("strides", options.strides)
      .attr("paddings", options.paddings)
      .attr("padding_algorithm", options.padding_algorithm)
      .attr("ceil_mode", options.ceil_mode)
      .attr("exclusive", options.exclusive)
      .attr("global_pooling", options.global_pooling)
      .result();
}

}  // namespace v0
}  // namespace loci
