#include "framework/core/raise.h"
#include "framework/optimizer/update_rule.h"

namespace loci {
inline namespace v0 {
namespace optimizer {
namespace {

class AdamRule final : public UpdateRule {
 public:
  explicit AdamRule(const AdamOptions& options) : options_(options) {
    check_share(name(), "beta1", options.beta1);
    check_share(name(), "beta2", options.beta2);
    if (!(options.epsilon > 0)) {
      core::raise(ErrorCode::kInvalidArgument, "[adam] epsilon is {}; give a positive one",
                  options.epsilon);
    }
    if (!(options.weight_decay >= 0)) {
      core::raise(ErrorCode::kInvalidArgument, "[adam] weight_decay is {}; give 0 or more",
                  options.weight_decay);
    }
  }
  [[nodiscard]] const char* name() const override { return "adam"; }

  void append(UpdateBuilder& builder, const std::vector<program::VarId>& parameters,
              const std::vector<autograd::GradientVar>& gradients) const override {
    const program::VarId step = builder.counter("adam.step");
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      program::OperatorSpec spec = builder.update("adam", parameters[i], gradients[i]);
      spec.inputs.push_back({"moment1", {builder.state(parameters[i], "moment1")}});
      spec.inputs.push_back({"moment2", {builder.state(parameters[i], "moment2")}});
      spec.inputs.push_back({"step", {step}});
      spec.attributes = {{"beta1", options_.beta1},
                         {"beta2", options_.beta2},
                         {"epsilon", options_.epsilon},
                         {"weight_decay", options_.weight_decay},
                         {"lazy_mode", options_.lazy_mode}};
      builder.append(spec);
    }
    program::OperatorSpec count;
    count.type = "increment";
    count.inputs = {{"x", {step}}};
    count.role = program::Role::kUpdate;
    builder.append(count);
  }

 private:
  AdamOptions options_;
};

}  // namespace

Adam::Adam(double learning_rate, const AdamOptions& options)
    : Optimizer(learning_rate, std::make_unique<AdamRule>(options)) {}

}  // namespace optimizer
}  // namespace v0
}  // namespace loci
