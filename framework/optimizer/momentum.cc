#include "framework/optimizer/update_rule.h"

namespace loci {
inline namespace v0 {
namespace optimizer {
namespace {

class MomentumRule final : public UpdateRule {
 public:
  explicit MomentumRule(const MomentumOptions& options) : options_(options) {
    check_share(name(), "momentum", options.momentum);
  }
  [[nodiscard]] const char* name() const override { return "momentum"; }

  void append(UpdateBuilder& builder, const std::vector<program::VarId>& parameters,
              const std::vector<autograd::GradientVar>& gradients) const override {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      program::OperatorSpec spec = builder.update("momentum", parameters[i], gradients[i]);
      spec.inputs.push_back({"velocity", {builder.state(parameters[i], "velocity")}});
      spec.attributes = {{"mu", options_.momentum},
                         {"use_nesterov", options_.use_nesterov},
                         {"lazy_mode", options_.lazy_mode}};
      builder.append(spec);
    }
  }

 private:
  MomentumOptions options_;
};

}  // namespace

Momentum::Momentum(double learning_rate, const MomentumOptions& options)
    : Optimizer(learning_rate, std::make_unique<MomentumRule>(options)) {}

}  // namespace optimizer
}  // namespace v0
}  // namespace loci
