#include <fmt/format.h>

#include <loci/nn/normalization.hpp>
#include <utility>

#include "framework/core/raise.h"
#include "framework/eager/user_call.h"
#include "framework/nn/arguments.h"

namespace loci {
inline namespace v0 {
namespace nn {
namespace {

bool ends_with(const Shape& shape, const Shape& end) {
  const int before = shape.rank() - end.rank();
  if (before < 0) return false;
  for (int i = 0; i < end.rank(); ++i) {
    if (shape[before + i] != end[i]) return false;
  }
  return true;
}

}  // namespace

LayerNorm::LayerNorm(const Shape& row, double epsilon, const ParameterOptions& parameters)
    : row_(row), epsilon_(epsilon) {
  const eager::UserCall call(__builtin_return_address(0));
  if (row.rank() == 0) {
    core::raise(ErrorCode::kInvalidArgument, "[LayerNorm] the row has no extents; give some");
  }
  for (const std::int64_t extent : row) check_positive("LayerNorm", "an extent", extent);
  const Shape columns{row.numel()};
  weight_ = make_parameter(columns, parameters.dtype,
                           weight_init(parameters, initializer::constant(1.0)));
  if (parameters.bias) bias_ = make_parameter(columns, parameters.dtype, bias_init(parameters));
  register_parameter("weight", weight_);
  register_parameter("bias", bias_);
}

Tensor LayerNorm::forward(const Tensor& x) {
  const eager::UserCall call(__builtin_return_address(0));
  if (!ends_with(x.shape(), row_)) {
    core::raise(ErrorCode::kInvalidArgument,
                "[LayerNorm] '{}' is {}; its last extents have to be {}", x.name(), describe(x),
                row_.to_string());
  }
  return layer_norm(x, weight_, bias_, x.shape().rank() - row_.rank(), epsilon_);
}

std::string LayerNorm::arguments() const {
  return fmt::format("{}, epsilon={}, bias={}", row_.to_string(), epsilon_, truth(bias_.defined()));
}

BatchNorm::BatchNorm(std::int64_t channels, BatchNormOptions options,
                     const ParameterOptions& parameters)
    : channels_(channels), options_(std::move(options)) {
  const eager::UserCall call(__builtin_return_address(0));
  check_positive("BatchNorm", "channels", channels);
  const Shape shape{channels};
  const DType statistics = parameters.dtype == kFloat64 ? kFloat64 : kFloat32;
  weight_ =
      make_parameter(shape, parameters.dtype, weight_init(parameters, initializer::constant(1.0)));
  bias_ = make_parameter(shape, parameters.dtype, bias_init(parameters));
  mean_ = make_buffer(shape, statistics, initializer::constant(0.0));
  variance_ = make_buffer(shape, statistics, initializer::constant(1.0));
  register_parameter("weight", weight_);
  register_parameter("bias", bias_);
  register_buffer("mean", mean_);
  register_buffer("variance", variance_);
}

Tensor BatchNorm::forward(const Tensor& x) {
  const eager::UserCall call(__builtin_return_address(0));
  BatchNormOptions options = options_;
  options.is_test = !is_training();
  return batch_norm(x, weight_, bias_, mean_, variance_, options);
}

std::string BatchNorm::arguments() const {
  return fmt::format("{}, epsilon={}, momentum={}", channels_, options_.epsilon, options_.momentum);
}

}  // namespace nn
}  // namespace v0
}  // namespace loci
