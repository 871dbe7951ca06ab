// Writes down what imperative code calls.
#pragma once

#include <loci/scope.hpp>
#include <loci/trace.hpp>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "framework/eager/interceptor.h"
#include "framework/eager/node.h"
#include "framework/program/program_impl.h"

namespace loci::tracing {

// One trace, on one thread. Takes the thread's calls from its construction to its end.
class Tracer final : public eager::Interceptor {
 public:
  explicit Tracer(const TraceOptions& options);
  ~Tracer() override;
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  // An input of the form of `example`.
  Tensor add_input(const Tensor& example, std::size_t index);
  // Makes `tensor` a result. Throws Error(kInvalidArgument) for an undefined one.
  void add_output(const Tensor& tensor, std::size_t index);
  // Once the function has returned.
  [[nodiscard]] Traced finish();

  TensorList call(OpCall<Tensor>& call) override;
  Tensor to(const Tensor& tensor, const Place& place) override;
  Tensor detach(const Tensor& tensor) override;
  Tensor view(const Tensor& base, const Tensor& result) override;
  void replace(const Tensor& self, const Tensor& value) override;
  void keep_gradient(const Tensor& tensor) override;
  std::vector<Tensor> choose(const std::vector<Tensor>& predicates,
                             const std::vector<ListBranch<Tensor>>& branches) override;
  std::vector<Tensor> choose(const Tensor& index, const std::vector<std::int64_t>& keys,
                             const std::vector<ListBranch<Tensor>>& branches) override;
  std::vector<Tensor> loop(
      const std::function<Tensor(const std::vector<Tensor>&)>& condition,
      const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body,
      const std::vector<Tensor>& values, const WhileOptions& options) override;
  ScanResult<Tensor> scan(const std::function<ScanResult<Tensor>(const std::vector<Tensor>&,
                                                                 const std::vector<Tensor>&)>& body,
                          const std::vector<Tensor>& carry, const std::vector<Tensor>& xs,
                          const ScanOptions& options) override;
  Tensor select(const Tensor& mask, const std::vector<Tensor>& inputs) override;
  std::vector<Tensor> backward(const eager::BackwardRequest& request) override;

 private:
  using Impl = std::shared_ptr<tensor::TensorImpl>;
  struct Known {
    Variable variable;
    Impl tensor;  // keeps the address from being used again
    bool is_input = false;
    bool is_captured = false;
    bool shares_memory = false;
  };

  [[nodiscard]] program::Block& block() { return program_.impl()->main(); }
  Known& known(const Tensor& tensor);
  Known& capture(const Tensor& tensor);
  // Null unless it is the state of a tensor from outside.
  [[nodiscard]] Impl captured_state(const Variable& variable) const;
  Tensor stand_in(const Variable& variable, const Place& place);
  [[nodiscard]] static Place result_place(const OpCall<Tensor>& call);
  std::vector<Variable> append(const OpCall<Tensor>& call, const Place& place);
  std::vector<Variable> variables_of(const std::vector<Tensor>& tensors);
  std::vector<Tensor> stand_ins(const std::vector<Variable>& variables,
                                const std::vector<Place>& places);
  std::vector<ListBranch<Variable>> branches_of(const std::vector<ListBranch<Tensor>>& branches,
                                                std::vector<Place>* places);
  Tensor loss_of(const eager::BackwardRequest& request);
  std::vector<Tensor> gradients_for(const Tensor& loss, const std::vector<Tensor>& targets);
  void add_to_leaves(const Tensor& loss);
  void set_leaf_gradient(const Impl& leaf, eager::Gradient gradient);

  const TraceOptions& options_;
  Program program_;
  ProgramGuard building_{program_};
  Scope scope_;
  std::size_t calls_ = 0;
  eager::Interceptor* previous_;
  std::unordered_map<const tensor::TensorImpl*, Known> known_;
  std::vector<Impl> captured_;  // in the order of their first use
  std::vector<Variable> inputs_;
  std::vector<Variable> outputs_;
  // Gradients of tensors from outside, as they were before the trace.
  std::vector<std::pair<Impl, eager::Gradient>> gradients_before_;
};

}  // namespace loci::tracing
