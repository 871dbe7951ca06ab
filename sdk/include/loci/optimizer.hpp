// Update rules.
#pragma once

#include <loci/export.hpp>
#include <loci/program.hpp>
#include <utility>
#include <vector>

namespace loci {
inline namespace v0 {
namespace optimizer {

// A parameter and its gradient.
using ParameterGradient = std::pair<Variable, Variable>;

// Stochastic gradient descent: parameter -= learning_rate * gradient.
class LOCI_PUBLIC SGD {
 public:
  explicit SGD(double learning_rate);

  // Adds gradient and update operators for the parameters that `loss` depends on, or for those in
  // `parameters` only. The learning rate becomes the persistable variable learning_rate(). Returns
  // what it updates. Throws Error(kInvalidArgument) if the loss has more than one element or
  // depends on no parameter.
  std::vector<ParameterGradient> minimize(const Variable& loss,
                                          const std::vector<Variable>& parameters = {});

  // Defined once minimize() was called; a 0-d float32, which may be set in the scope between runs.
  [[nodiscard]] const Variable& learning_rate() const noexcept { return learning_rate_; }

 private:
  double initial_rate_;
  Variable learning_rate_;
};

}  // namespace optimizer
}  // namespace v0
}  // namespace loci
