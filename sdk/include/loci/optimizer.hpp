// Optimizers: they add gradients and update operators to a program.
#pragma once

#include <loci/export.hpp>
#include <loci/program.hpp>
#include <memory>
#include <vector>

namespace loci {
inline namespace v0 {
namespace optimizer {

class UpdateRule;

// A parameter and its gradient. If `rows` is defined the gradient is row-sparse: row i of it, [n,
// ...], belongs to row rows[i] of the parameter, and rows that occur several times add up.
struct ParameterGradient {
  Variable parameter;
  Variable gradient;
  Variable rows;
};

// What all optimizers do. State that a rule keeps for a parameter (velocity, moments) is a
// persistable variable "<parameter>.<state>" of its shape at its place, in float64 for float64
// parameters and in float32 for all others. A parameter whose gradient is row-sparse, such as the
// table of an embedding, is updated at the cost of the rows that were touched.
class LOCI_PUBLIC Optimizer {
 public:
  virtual ~Optimizer();
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  // Adds gradient and update operators for the parameters that `loss` depends on, or for those in
  // `parameters` only. The learning rate becomes the persistable variable learning_rate(). Returns
  // what it updates. Throws Error(kInvalidArgument) if the loss has more than one element or
  // depends on no parameter; the programs are unchanged then.
  std::vector<ParameterGradient> minimize(const Variable& loss,
                                          const std::vector<Variable>& parameters = {});

  // Defined once minimize() was called; a 0-d float32, which may be set in the scope between runs.
  [[nodiscard]] const Variable& learning_rate() const noexcept { return learning_rate_; }

 protected:
  Optimizer(double learning_rate, std::unique_ptr<const UpdateRule> rule);

 private:
  std::unique_ptr<const UpdateRule> rule_;
  double initial_rate_;
  Variable learning_rate_;
};

// Stochastic gradient descent: parameter -= learning_rate * gradient.
class LOCI_PUBLIC SGD : public Optimizer {
 public:
  explicit SGD(double learning_rate);
};

struct MomentumOptions {
  double momentum = 0.9;
  bool use_nesterov = false;
  // With row-sparse gradients: rows that were not touched keep their velocity, and the update costs
  // only what was touched. Otherwise every row sees a gradient, of 0 if need be.
  bool lazy_mode = false;
};

// velocity = momentum * velocity + gradient; parameter -= learning_rate * velocity, or with
// Nesterov's look-ahead parameter -= learning_rate * (gradient + momentum * velocity).
class LOCI_PUBLIC Momentum : public Optimizer {
 public:
  explicit Momentum(double learning_rate, const MomentumOptions& options = {});
};

struct AdamOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  // Decoupled (Loshchilov and Hutter, 2019): parameter -= learning_rate * weight_decay * parameter.
  double weight_decay = 0.0;
  bool lazy_mode = false;  // as in MomentumOptions, for both moments
};

// Adam (Kingma and Ba, 2015). The step count is one persistable variable of the optimizer.
class LOCI_PUBLIC Adam : public Optimizer {
 public:
  explicit Adam(double learning_rate, const AdamOptions& options = {});
};

}  // namespace optimizer
}  // namespace v0
}  // namespace loci
