#include "framework/optimizer/update_rule.h"

namespace loci {
inline namespace v0 {
namespace optimizer {
namespace {

class SgdRule final : public UpdateRule {
 public:
  [[nodiscard]] const char* name() const override { return "sgd"; }

  void append(UpdateBuilder& builder, const std::vector<program::VarId>& parameters,
              const std::vector<autograd::GradientVar>& gradients) const override {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      builder.append(builder.update("sgd", parameters[i], gradients[i]));
    }
  }
};

}  // namespace

SGD::SGD(double learning_rate) : Optimizer(learning_rate, std::make_unique<SgdRule>()) {}

}  // namespace optimizer
}  // namespace v0
}  // namespace loci
