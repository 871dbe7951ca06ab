#include "framework/core/raise.h"
#include "framework/optimizer/update_rule.h"

namespace loci {
inline namespace v0 {
namespace optimizer {
namespace {

UpdateRule adam_rule(const AdamOptions& options) {
  check_share("adam", "beta1", options.beta1);
  check_share("adam", "beta2", options.beta2);
  if (!(options.epsilon > 0)) {
    core::raise(ErrorCode::kInvalidArgument, "[adam] epsilon is {}; give a positive one",
                options.epsilon);
  }
  if (!(options.weight_decay >= 0)) {
    core::raise(ErrorCode::kInvalidArgument, "[adam] weight_decay is {}; give 0 or more",
                options.weight_decay);
  }
  return {"adam",
          {"moment1", "moment2"},
          /*counts_steps=*/true,
          {{"beta1", options.beta1},
           {"beta2", options.beta2},
           {"epsilon", options.epsilon},
           {"weight_decay", options.weight_decay},
           {"lazy_mode", options.lazy_mode}}};
}

}  // namespace

Adam::Adam(double learning_rate, const AdamOptions& options)
    : Optimizer(learning_rate, adam_rule(options)) {}

}  // namespace optimizer
}  // namespace v0
}  // namespace loci
