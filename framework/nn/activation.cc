#include <fmt/format.h>

#include <loci/nn/activation.hpp>
#include <loci/ops/activation.hpp>
#include <loci/ops/elementwise.hpp>
#include <loci/ops/loss.hpp>

#include "framework/eager/user_call.h"
#include "framework/nn/arguments.h"

namespace loci {
inline namespace v0 {
namespace nn {

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
Tensor Softmax::forward(const Tensor& x) {
  const eager::UserCall call(__builtin_return_address(0));
  return softmax(x, axis_);
}

std::string GELU::arguments() const { return fmt::format("approximate={}", truth(approximate_)); }
std::string Softmax::arguments() const { return fmt::format("axis={}", axis_); }

}  // namespace nn
}  // namespace v0
}  // namespace loci
