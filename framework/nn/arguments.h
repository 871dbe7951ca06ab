// Arguments of modules: checks, and their text.
#pragma once

#include <cstdint>
#include <loci/nn/parameter.hpp>
#include <loci/tensor.hpp>
#include <string>
#include <vector>

namespace loci {
inline namespace v0 {
namespace nn {

// Throws Error(kInvalidArgument) unless value > 0.
void check_positive(const char* module, const char* what, std::int64_t value);

// "True" or "False".
[[nodiscard]] const char* truth(bool value);
// "[2, 2]".
[[nodiscard]] std::string list(const std::vector<std::int64_t>& values);
// "float32 [8, 3]".
[[nodiscard]] std::string describe(const Tensor& tensor);

// The initialisers of the options, or these.
[[nodiscard]] Initializer weight_init(const ParameterOptions& options,
                                      const Initializer& otherwise);
[[nodiscard]] Initializer bias_init(const ParameterOptions& options);

}  // namespace nn
}  // namespace v0
}  // namespace loci
