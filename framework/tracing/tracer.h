// Writes down what imperative code calls.
#pragma once

#include <cstdint>
#include <deque>
#include <loci/scope.hpp>
#include <loci/trace.hpp>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "framework/autograd/backward.h"
#include "framework/eager/interceptor.h"
#include "framework/eager/node.h"
#include "framework/program/program_impl.h"
#include "framework/tracing/outside_leaf.h"
#include "framework/tracing/traced_node.h"

namespace loci::tracing {

// One trace, on one thread. Takes the thread's calls from its construction to its end.
class Tracer final : public eager::Interceptor {
 public:
  // The thing to trace: a program, a function that stands in for imperative code, or only the forms
  // of results. In a function, gradients that tensors from outside have are not constants, but what
  // each call finds, and what it leaves in them belongs to the program: see outside_leaves().
  enum class Purpose : std::uint8_t { kProgram, kFunction, kForms };
  explicit Tracer(const TraceOptions& options, Purpose purpose = Purpose::kProgram);
  ~Tracer() override;
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  // Calls the function with inputs of the form of the examples; what it returns are results.
  std::vector<Tensor> run(const TensorFunction& fn, const std::vector<Tensor>& examples);
  // An input of the form of `example`.
  Tensor add_input(const Tensor& example, std::size_t index);
  // Makes `tensor` a result. Throws Error(kInvalidArgument) for an undefined one.
  void add_output(const Tensor& tensor, std::size_t index);
  // Once the function has returned.
  [[nodiscard]] Traced finish();
  // Returns the tensors from outside, inputs too, with what the program takes and leaves of their
  // gradients. Adds the variables that it leaves behind `left`. Once the function has returned.
  [[nodiscard]] std::vector<OutsideLeaf> outside_leaves(std::vector<Variable>* left);
  // The answer to whether gradients are recorded of a tensor.
  enum class Requires : std::uint8_t { kNo, kPerhaps, kYes };  // perhaps: in a branch that may run
  [[nodiscard]] Requires requires_of(const Tensor& tensor) const;

  TensorList call(OpCall<Tensor>& call) override;
  Tensor to(const Tensor& tensor, const Place& place) override;
  Tensor detach(const Tensor& tensor) override;
  Tensor view(const Tensor& base, const Tensor& result) override;
  void replace(const Tensor& self, const Tensor& value) override;
  void read_gradient(const Tensor& tensor) override;
  void keep_gradient(const Tensor& tensor) override;
  void check_question(const Tensor& tensor, const char* question) override;
  void change_requirement(const Tensor& tensor, bool required) override;
  void check_watch(const Tensor& tensor, const char* call) override;
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
  // Where a value lies.
  struct Spot {
    Place place;
    bool is_said = false;  // by a DeviceGuard or to(place), of it or of what it was computed from
  };
  struct Known {
    Variable variable;
    Impl tensor;  // keeps the address from being used again
    bool is_place_said = false;
    bool is_input = false;
    bool is_captured = false;
    bool shares_memory = false;
    bool is_outdated = false;  // a view of what has been changed in place since
    bool may_require = false;  // with a node, but perhaps without one in other calls
  };
  // A tensor from outside, of which the tape has something to say.
  struct Leaf {
    Impl tensor;                  // as the function has it
    OutsideLeaf outside;          // as it was before the trace
    bool is_kept = false;         // `before` is its gradient; else it has that
    eager::Gradient before = {};  // the tensor has it again when the trace ends
    eager::Gradient given = {};   // what stands for it
    bool is_changed = false;      // by set_requires_grad()
  };
  class Hooks;

  [[nodiscard]] program::Block& block() { return program_.impl()->main(); }
  Known& known(const Tensor& tensor);
  Known& capture(const Tensor& tensor);
  Leaf& add_leaf(const Impl& tensor, const Impl& outside, int input);
  // Null for a tensor that the function has made.
  Leaf* leaf_of(const Tensor& tensor);
  Tensor add_gradient_input(const Tensor& gradient, OutsideLeaf* leaf);
  // The variable for a result.
  Variable result_of(const Tensor& tensor);
  void record(const Tensor& tensor, Requires wanted, const std::string& op);
  [[nodiscard]] Requires requires_of(const OpCall<Tensor>& call) const;
  [[nodiscard]] std::vector<Requires> requires_of(const std::vector<Tensor>& tensors) const;
  void record_all(const std::vector<Tensor>& tensors, const std::vector<Requires>& wanted,
                  const char* op);
  void outdate_views(const Impl& changed);
  // Null unless it is the state of a tensor from outside.
  [[nodiscard]] Impl captured_state(const Variable& variable) const;
  Tensor stand_in(const Variable& variable, const Spot& spot);
  // See traced_places.cc.
  [[nodiscard]] Spot spot_of(const Tensor& tensor) const;
  std::vector<Spot> spots_of(const std::vector<Tensor>& tensors) const;
  [[nodiscard]] Spot result_spot(const OpCall<Tensor>& call) const;
  [[nodiscard]] std::string guard_for(const Spot& spot) const;
  std::vector<Variable> append(const OpCall<Tensor>& call, const Spot& spot);
  std::vector<Variable> variables_of(const std::vector<Tensor>& tensors);
  std::vector<Tensor> stand_ins(const std::vector<Variable>& variables,
                                const std::vector<Spot>& spots);
  std::vector<ListBranch<Variable>> branches_of(const std::vector<ListBranch<Tensor>>& branches,
                                                std::vector<Spot>* spots,
                                                std::vector<Requires>* wanted);
  void require_recorded(const eager::BackwardRequest& request) const;
  Tensor loss_of(const eager::BackwardRequest& request);
  std::vector<Tensor> gradients_for(const Tensor& loss, const eager::BackwardRequest& request);
  void add_to_leaves(const Tensor& loss, bool creates_graph);
  [[nodiscard]] std::vector<Impl> recorded_outside(const std::vector<Tensor>& targets) const;
  void refuse_outside(const std::vector<Impl>& behind,
                      const std::vector<autograd::GradientVar>& found, std::size_t first) const;
  Tensor gradient_tensor(program::VarId id, const Spot& spot, bool creates_graph);
  void set_leaf_gradient(const Impl& leaf, eager::Gradient gradient);

  const TraceOptions& options_;
  const Purpose purpose_;
  Program program_;
  ProgramGuard building_{program_};
  Scope scope_;
  Place usual_place_;  // of the function, where what nobody puts elsewhere runs
  std::size_t calls_ = 0;
  eager::Interceptor* previous_;
  std::unordered_map<const tensor::TensorImpl*, Known> known_;
  std::vector<Impl> captured_;  // in the order of their first use
  std::vector<Variable> inputs_;
  std::vector<Variable> outputs_;
  std::vector<std::pair<Impl, Impl>> views_;  // and of what tensor each is
  std::deque<Leaf> leaves_;                   // which stay where they are
  std::unordered_map<const tensor::TensorImpl*, Leaf*> leaf_index_;
  std::vector<std::shared_ptr<TracedNode>> nodes_;
  int loops_ = 0;  // around the calls
};

}  // namespace loci::tracing
