#include <fmt/format.h>

#include <cmath>
#include <loci/nn/activation.hpp>
#include <loci/ops/activation.hpp>
#include <loci/ops/composed.hpp>
#include <loci/ops/elementwise.hpp>
#include <loci/ops/loss.hpp>

#include "framework/core/raise.h"
#include "framework/eager/user_call.h"
#include "framework/nn/arguments.h"

namespace loci {
inline namespace v0 {
namespace nn {

Softplus::Softplus(double beta) : beta_(beta) {
  if (beta == 0 || !std::isfinite(beta)) {
    core::raise(ErrorCode::kInvalidArgument,
                "[Softplus] beta is {}; give a finite number other than 0", beta);
  }
}

Tensor ReLU::forward(const Tensor& x) {
  const eager::UserCall call(__builtin_return_address(0));
  return relu(x);
}
Tensor Sigmoid::forward(const Tensor& x) {
  const eager::UserCall call(__builtin_return_address(0));
  return sigmoid(x);
}
Tensor Tanh::forward(const Tensor& x) {
  const eager::UserCall call(__builtin_return_address(0));
  return tanh(x);
}
Tensor GELU::forward(const Tensor& x) {
  const eager::UserCall call(__builtin_return_address(0));
  return gelu(x, approximate_);
}
Tensor Hardsigmoid::forward(const Tensor& x) {
  const eager::UserCall call(__builtin_return_address(0));
  return hard_sigmoid(x);
}
Tensor Hardswish::forward(const Tensor& x) {
  const eager::UserCall call(__builtin_return_address(0));
  return hard_swish(x);
}
Tensor CELU::forward(const Tensor& x) {
  const eager::UserCall call(__builtin_return_address(0));
  return celu(x, alpha_);
}
Tensor ELU::forward(const Tensor& x) {
  const eager::UserCall call(__builtin_return_address(0));
  return elu(x, alpha_);
}
Tensor LeakyReLU::forward(const Tensor& x) {
  const eager::UserCall call(__builtin_return_address(0));
  return leaky_relu(x, negative_slope_);
}
Tensor Mish::forward(const Tensor& x) {
  const eager::UserCall call(__builtin_return_address(0));
  return mish(x);
}
Tensor SELU::forward(const Tensor& x) {
  const eager::UserCall call(__builtin_return_address(0));
  return selu(x);
}
Tensor SiLU::forward(const Tensor& x) {
  const eager::UserCall call(__builtin_return_address(0));
  return silu(x);
}
Tensor Softplus::forward(const Tensor& x) {
  const eager::UserCall call(__builtin_return_address(0));
  return beta_ == 1 ? softplus(x) : scale(softplus(scale(x, beta_)), 1 / beta_);
}
Tensor Softsign::forward(const Tensor& x) {
  const eager::UserCall call(__builtin_return_address(0));
  return softsign(x);
}
Tensor Softmax::forward(const Tensor& x) {
  const eager::UserCall call(__builtin_return_address(0));
  return softmax(x, axis_);
}
Tensor LogSoftmax::forward(const Tensor& x) {
  const eager::UserCall call(__builtin_return_address(0));
  return log_softmax(x, axis_);
}

std::string GELU::arguments() const { return fmt::format("approximate={}", truth(approximate_)); }
std::string CELU::arguments() const { return fmt::format("alpha={}", alpha_); }
std::string ELU::arguments() const { return fmt::format("alpha={}", alpha_); }
std::string LeakyReLU::arguments() const {
  return fmt::format("negative_slope={}", negative_slope_);
}
std::string Softplus::arguments() const { return fmt::format("beta={}", beta_); }
std::string Softmax::arguments() const { return fmt::format("axis={}", axis_); }
std::string LogSoftmax::arguments() const { return fmt::format("axis={}", axis_); }

}  // namespace nn
}  // namespace v0
}  // namespace loci
