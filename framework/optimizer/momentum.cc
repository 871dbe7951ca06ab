#include "framework/optimizer/update_rule.h"

namespace loci {
inline namespace v0 {
namespace optimizer {
namespace {

UpdateRule momentum_rule(const MomentumOptions& options) {
  check_share("momentum", "momentum", options.momentum);
  return {"momentum",
          {"velocity"},
          /*counts_steps=*/false,
          {{"mu", options.momentum},
           {"use_nesterov", options.use_nesterov},
           {"lazy_mode", options.lazy_mode}}};
}

}  // namespace

Momentum::Momentum(double learning_rate, const MomentumOptions& options)
    : Optimizer(learning_rate, momentum_rule(options)) {}

}  // namespace optimizer
}  // namespace v0
}  // namespace loci
