// Imperative code turned into programs.
#pragma once

#include <cstddef>
#include <functional>
#include <loci/executor.hpp>
#include <loci/export.hpp>
#include <loci/program.hpp>
#include <loci/scope.hpp>
#include <loci/tensor.hpp>
#include <memory>
#include <string>
#include <vector>

namespace loci {
namespace tracing {
class CompiledImpl;
}

inline namespace v0 {

using TensorFunction = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

struct TraceOptions {
  // Dimension 0 of every input may have any extent: the program's is kDynamicDim, and shape()
  // within the function says so.
  bool symbolic_batch = false;
  // The names of the inputs; "input_0", ... for those without one.
  std::vector<std::string> input_names;
  std::vector<std::string> output_names;
  // A function that calls more ops than this is taken for one that never ends.
  std::size_t max_operators = 1'000'000;
};

// The result of a trace. Tensors that the function uses and does not get as inputs are persistable
// variables; `scope` has them, with their own storage, so that what the program updates is seen in
// the tensors and the other way round.
struct Traced {
  Program program;
  Scope scope;
  std::vector<Variable> inputs;
  std::vector<Variable> outputs;
};

// Calls `fn` once, with tensors that have the form of `examples` and no elements, and writes down
// the ops. Loops and branches of C++ are gone through as they go here. backward(), grad(), hooks
// and the optimizers' steps become operators too. What a program cannot hold throws
// Error(kInvalidArgument), with the call and what to use instead: reading elements on the host
// (item(), data(), to_vector(), to_host()), changing in place an input, a tensor from outside or
// one that shares its memory with a view, hooks of tensors from outside that would be registered in
// each call, gradients that would go on outside, seed() and random_state(). Tensors from outside
// keep the gradients that they had; a program that reads one takes it for a constant.
LOCI_PUBLIC Traced trace(const TensorFunction& fn, const std::vector<Tensor>& examples,
                         const TraceOptions& options = {});

// A function that is traced once for each form of its inputs (dtypes, shapes, places) and then run
// as a program. A handle; may be called from several threads.
//
// A call does what the function would do. It draws the random numbers that the thread would draw
// (seed()), and leaves the gradients that backward() would leave in tensors from outside and in
// inputs, added to those that they had. A function is traced anew where it would see something else
// of them than it was traced with: whether gradients are recorded, are required, are there, or have
// hooks. Results say whether gradients are recorded of them; but none goes through them, and
// backward() from outside the function throws Error(kInvalidArgument).
class LOCI_PUBLIC CompiledFunction {
 public:
  explicit CompiledFunction(std::shared_ptr<tracing::CompiledImpl> impl);

  // Results are where the inputs are; on the host without any.
  std::vector<Tensor> operator()(const std::vector<Tensor>& inputs) const;
  // The program for inputs of that form.
  [[nodiscard]] Traced traced(const std::vector<Tensor>& inputs) const;
  // How many forms have been traced.
  [[nodiscard]] std::size_t signatures() const;
  // Why inputs are not filled up to a bucket (CompileOptions::buckets), a line for each form that
  // is not: "float32[8, 3] at cpu: it is not filled up to a bucket, because ...". Each is logged,
  // too.
  [[nodiscard]] std::vector<std::string> bucket_refusals() const;
  // A program directory for `loci run`: the program of the examples that it was made with, and what
  // it captured. It draws from a random state of its own, and leaves no gradients. Throws
  // Error(kInvalidArgument) for a function that reads, or adds to, gradients of before.
  void save(const std::string& directory) const;

 private:
  std::shared_ptr<tracing::CompiledImpl> impl_;
};

// Traces `fn` for `examples` at once.
LOCI_PUBLIC CompiledFunction compile(const TensorFunction& fn, const std::vector<Tensor>& examples,
                                     const TraceOptions& options = {},
                                     const CompileOptions& compile_options = {});

}  // namespace v0
}  // namespace loci
