#include <fmt/format.h>

#include <loci/nn/dropout.hpp>
#include <loci/ops/normalization.hpp>

#include "framework/core/raise.h"
#include "framework/eager/user_call.h"

namespace loci {
inline namespace v0 {
namespace nn {

Dropout::Dropout(double p) : p_(p) {
  if (p >= 0 && p <= 1) return;
  core::raise(ErrorCode::kInvalidArgument, "[Dropout] p is {}; give a probability, in [0, 1]", p);
}

Tensor Dropout::forward(const Tensor& x) {
  const eager::UserCall call(__builtin_return_address(0));
  return is_training() && p_ > 0 ? dropout(x, p_) : x;
}

std::string Dropout::arguments() const { return fmt::format("p={}", p_); }

}  // namespace nn
}  // namespace v0
}  // namespace loci
