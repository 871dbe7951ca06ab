#include "framework/nn/arguments.h"

#include <fmt/format.h>

#include "framework/core/raise.h"

namespace loci {
inline namespace v0 {
namespace nn {

void check_positive(const char* module, const char* what, std::int64_t value) {
  if (value > 0) return;
  core::raise(ErrorCode::kInvalidArgument, "[{}] {} is {}; give at least 1", module, what, value);
}

const char* truth(bool value) { return value ? "True" : "False"; }

std::string list(const std::vector<std::int64_t>& values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

std::string describe(const Tensor& tensor) {
  return fmt::format("{} {}", dtype_name(tensor.dtype()), tensor.shape().to_string());
}

Initializer weight_init(const ParameterOptions& options, const Initializer& otherwise) {
  return options.weight_init.value_or(otherwise);
}

Initializer bias_init(const ParameterOptions& options) {
  return options.bias_init.value_or(initializer::constant(0.0));
}

}  // namespace nn
}  // namespace v0
}  // namespace loci
