#include <fmt/format.h>

#include <loci/nn/linear.hpp>
#include <loci/operators.hpp>
#include <loci/ops/product.hpp>

#include "framework/core/raise.h"
#include "framework/eager/user_call.h"
#include "framework/nn/arguments.h"

namespace loci {
inline namespace v0 {
namespace nn {

Linear::Linear(std::int64_t in_features, std::int64_t out_features, const ParameterOptions& options)
    : in_features_(in_features), out_features_(out_features) {
  const eager::UserCall call(__builtin_return_address(0));
  check_positive("Linear", "in_features", in_features);
  check_positive("Linear", "out_features", out_features);
  const Shape shape{in_features, out_features};
  weight_ = make_parameter(shape, options.dtype, weight_init(options, initializer::xavier(shape)));
  if (options.bias) bias_ = make_parameter({out_features}, options.dtype, bias_init(options));
  register_parameter("weight", weight_);
  register_parameter("bias", bias_);
}

Tensor Linear::forward(const Tensor& x) {
  const eager::UserCall call(__builtin_return_address(0));
  const int rank = x.shape().rank();
  if (rank == 0 || x.shape()[rank - 1] != in_features_) {
    core::raise(ErrorCode::kInvalidArgument,
                "[Linear] '{}' is {}; its last extent has to be in_features, {}", x.name(),
                describe(x), in_features_);
  }
  const Tensor product = rank == 1 ? matmul(x, weight_) : mul(x, weight_, rank - 1);
  return bias_.defined() ? product + bias_ : product;
}

std::string Linear::arguments() const {
  return fmt::format("in_features={}, out_features={}, bias={}", in_features_, out_features_,
                     truth(bias_.defined()));
}

}  // namespace nn
}  // namespace v0
}  // namespace loci
