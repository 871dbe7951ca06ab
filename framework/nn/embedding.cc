#include <fmt/format.h>

#include <loci/nn/embedding.hpp>

#include "framework/core/raise.h"
#include "framework/eager/user_call.h"
#include "framework/nn/arguments.h"

namespace loci {
inline namespace v0 {
namespace nn {

Embedding::Embedding(std::int64_t rows, std::int64_t width, const EmbeddingOptions& options,
                     const ParameterOptions& parameters)
    : options_(options) {
  const eager::UserCall call(__builtin_return_address(0));
  check_positive("Embedding", "rows", rows);
  check_positive("Embedding", "width", width);
  if (options.padding_idx < -1 || options.padding_idx >= rows) {
    core::raise(ErrorCode::kInvalidArgument,
                "[Embedding] padding_idx is {}; give a row in [0, {}), or -1 for none",
                options.padding_idx, rows);
  }
  const Shape shape{rows, width};
  weight_ =
      make_parameter(shape, parameters.dtype, weight_init(parameters, initializer::xavier(shape)));
  register_parameter("weight", weight_);
}

Tensor Embedding::forward(const Tensor& ids) {
  const eager::UserCall call(__builtin_return_address(0));
  return embedding(weight_, ids, options_);
}

std::string Embedding::arguments() const {
  std::string text = fmt::format("{}, {}", weight_.shape()[0], weight_.shape()[1]);
  if (options_.padding_idx >= 0) text += fmt::format(", padding_idx={}", options_.padding_idx);
  return text + fmt::format(", sparse={}", truth(options_.sparse));
}

}  // namespace nn
}  // namespace v0
}  // namespace loci
