// Optimizers: they add gradients and update operators to a program, or update tensors.
#pragma once

#include <loci/export.hpp>
#include <loci/program.hpp>
#include <loci/scope.hpp>
#include <loci/state_dict.hpp>
#include <loci/tensor.hpp>
#include <memory>
#include <vector>

namespace loci {
inline namespace v0 {
namespace optimizer {

struct UpdateRule;
class TensorUpdates;

// A parameter and its gradient. If `rows` is defined the gradient is row-sparse: row i of it, [n,
// ...], belongs to row rows[i] of it, -1 being none; rows that occur several times add up.
struct ParameterGradient {
  Variable parameter;
  Variable gradient;
  Variable rows;
};

// The base of all optimizers. In a program, state that a rule keeps for a parameter (velocity,
// moments) is a persistable variable "<parameter>.<state>" of its shape at its place, in float64
// for float64 parameters and in float32 for all others. A parameter whose gradient is row-sparse,
// such as the table of an embedding, is updated at the cost of the rows that were touched.
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

  // Imperative training: updates parameters in place from the gradients that backward() has left in
  // them, by the ops that minimize() adds to programs, so that the results are the same bits. A
  // parameter without a gradient stays as it is. Gradients stay too; see zero_grad(). State is kept
  // here for each tensor from its first update on; a tensor that takes its place, as after
  // nn::Module::to(), starts anew. Enqueues, as ops do. For one thread at a time. Throws
  // Error(kInvalidArgument) for a parameter that is undefined, given twice, or the result of
  // recorded ops, and if none has a gradient; nothing is changed then.
  void step(const std::vector<Tensor>& parameters);
  // Clears the gradients of the parameters.
  static void zero_grad(const std::vector<Tensor>& parameters);

  // Returns what step() keeps, copied to the host: "learning_rate" (float64); for each parameter
  // that it has updated and each of the rule's states "<parameter>.<state>", and "<parameter>.step"
  // where the rule counts. `parameters` gives the names, as nn::Module::named_parameters() does.
  [[nodiscard]] StateDict state_dict(const StateDict& parameters) const;
  // Puts such a state in the place of what is kept, where the parameters are: from the same
  // parameters and random state (see set_random_state()) the steps to come are the same to the bit.
  // A parameter that the state does not know starts anew; one "step" may stand for all. Throws
  // Error(kInvalidArgument) that names all that does not fit, and changes nothing then.
  void load_state_dict(const StateDict& parameters, const StateDict& state);

  // The rate of the steps to come: those of functions that trace() has seen too; of the program
  // that minimize() was last called for, in a scope where its startup program has run, and wherever
  // that runs from now on; and of programs that minimize() is called for later. It is set where
  // it lies, at each place that has it, and nothing is copied. Throws Error(kInvalidArgument) for
  // one that is not finite, and within a function that is traced: its runs would not set it.
  void set_learning_rate(double value, const Scope& scope = global_scope());
  [[nodiscard]] double learning_rate_value() const noexcept { return rate_; }

 protected:
  Optimizer(double learning_rate, const UpdateRule& rule);

 private:
  std::unique_ptr<const UpdateRule> rule_;
  std::unique_ptr<TensorUpdates> tensors_;
  double rate_ = 0;
  Variable learning_rate_;
  Program startup_;  // that initialises it
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

// Adam (Kingma and Ba, 2015). step() counts the updates of each parameter by itself; a program has
// a persistable variable that counts its runs, one for each guard that its parameters have.
class LOCI_PUBLIC Adam : public Optimizer {
 public:
  explicit Adam(double learning_rate, const AdamOptions& options = {});
};

}  // namespace optimizer
}  // namespace v0
}  // namespace loci
