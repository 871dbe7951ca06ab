#include <fmt/format.h>

#include <loci/nn/convolution.hpp>
#include <utility>

#include "framework/core/raise.h"
#include "framework/eager/user_call.h"
#include "framework/nn/arguments.h"

namespace loci {
inline namespace v0 {
namespace nn {

namespace {

void check_convolution(const char* module, std::int64_t in_channels, std::int64_t out_channels,
                       const std::array<std::int64_t, 2>& kernel, std::int64_t groups) {
  check_positive(module, "in_channels", in_channels);
  check_positive(module, "out_channels", out_channels);
  check_positive(module, "the kernel's height", kernel[0]);
  check_positive(module, "the kernel's width", kernel[1]);
  check_positive(module, "groups", groups);
  if (in_channels % groups != 0 || out_channels % groups != 0) {
    core::raise(ErrorCode::kInvalidArgument,
                "[{}] {} groups do not divide {} in_channels and {} out_channels", module, groups,
                in_channels, out_channels);
  }
}

}  // namespace

Conv2d::Conv2d(std::int64_t in_channels, std::int64_t out_channels,
               std::array<std::int64_t, 2> kernel, Conv2dOptions options,
               const ParameterOptions& parameters)
    : options_(std::move(options)) {
  const eager::UserCall call(__builtin_return_address(0));
  check_convolution("Conv2d", in_channels, out_channels, kernel, options_.groups);
  const Shape shape{out_channels, in_channels / options_.groups, kernel[0], kernel[1]};
  weight_ =
      make_parameter(shape, parameters.dtype, weight_init(parameters, initializer::xavier(shape)));
  if (parameters.bias) {
    bias_ = make_parameter({out_channels}, parameters.dtype, bias_init(parameters));
  }
  register_parameter("weight", weight_);
  register_parameter("bias", bias_);
}

Tensor Conv2d::forward(const Tensor& x) {
  const eager::UserCall call(__builtin_return_address(0));
  return conv2d(x, weight_, options_, bias_);
}

std::string Conv2d::arguments() const {
  const Shape& shape = weight_.shape();
  std::string text =
      fmt::format("{}, {}, kernel_size=[{}, {}], strides={}", shape[1] * options_.groups, shape[0],
                  shape[2], shape[3], list(options_.strides));
  if (options_.padding_algorithm == "EXPLICIT") {
    text += fmt::format(", paddings={}", list(options_.paddings));
  } else {
    text += fmt::format(", padding_algorithm={}", options_.padding_algorithm);
  }
  if (options_.dilations != Conv2dOptions().dilations) {
    text += fmt::format(", dilations={}", list(options_.dilations));
  }
  if (options_.groups != 1) text += fmt::format(", groups={}", options_.groups);
  return text + fmt::format(", bias={}", truth(bias_.defined()));
}

ConvTranspose2d::ConvTranspose2d(std::int64_t in_channels, std::int64_t out_channels,
                                 std::array<std::int64_t, 2> kernel, ConvTranspose2dOptions options,
                                 const ParameterOptions& parameters)
    : options_(std::move(options)) {
  const eager::UserCall call(__builtin_return_address(0));
  check_convolution("ConvTranspose2d", in_channels, out_channels, kernel, options_.groups);
  const Shape shape{in_channels, out_channels / options_.groups, kernel[0], kernel[1]};
  weight_ =
      make_parameter(shape, parameters.dtype, weight_init(parameters, initializer::xavier(shape)));
  if (parameters.bias) {
    bias_ = make_parameter({out_channels}, parameters.dtype, bias_init(parameters));
  }
  register_parameter("weight", weight_);
  register_parameter("bias", bias_);
}

Tensor ConvTranspose2d::forward(const Tensor& x) {
  const eager::UserCall call(__builtin_return_address(0));
  return conv2d_transpose(x, weight_, options_, bias_);
}

std::string ConvTranspose2d::arguments() const {
  const ConvTranspose2dOptions usual;
  const Shape& shape = weight_.shape();
  std::string text = fmt::format("{}, {}, kernel_size=[{}, {}], strides={}, paddings={}", shape[0],
                                 shape[1] * options_.groups, shape[2], shape[3],
                                 list(options_.strides), list(options_.paddings));
  if (options_.output_padding != usual.output_padding) {
    text += fmt::format(", output_padding={}", list(options_.output_padding));
  }
  if (options_.dilations != usual.dilations) {
    text += fmt::format(", dilations={}", list(options_.dilations));
  }
  if (options_.groups != 1) text += fmt::format(", groups={}", options_.groups);
  return text + fmt::format(", bias={}", truth(bias_.defined()));
}

}  // namespace nn
}  // namespace v0
}  // namespace loci
