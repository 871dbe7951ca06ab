#include <fmt/format.h>

#include <loci/nn/convolution.hpp>
#include <utility>

#include "framework/core/raise.h"
#include "framework/eager/user_call.h"
#include "framework/nn/arguments.h"

namespace loci {
inline namespace v0 {
namespace nn {

Conv2d::Conv2d(std::int64_t in_channels, std::int64_t out_channels,
               std::array<std::int64_t, 2> kernel, Conv2dOptions options,
               const ParameterOptions& parameters)
    : options_(std::move(options)) {
  const eager::UserCall call(__builtin_return_address(0));
  check_positive("Conv2d", "in_channels", in_channels);
  check_positive("Conv2d", "out_channels", out_channels);
  check_positive("Conv2d", "the kernel's height", kernel[0]);
  check_positive("Conv2d", "the kernel's width", kernel[1]);
  check_positive("Conv2d", "groups", options_.groups);
  if (in_channels % options_.groups != 0 || out_channels % options_.groups != 0) {
    core::raise(ErrorCode::kInvalidArgument,
                "[Conv2d] {} groups do not divide {} in_channels and {} out_channels",
                options_.groups, in_channels, out_channels);
  }
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

}  // namespace nn
}  // namespace v0
}  // namespace loci
