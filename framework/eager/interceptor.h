// Whoever takes the calls of a thread instead of the devices: a tracer.
#pragma once

#include <cstdint>
#include <functional>
#include <loci/control_flow.hpp>
#include <loci/op_call.hpp>
#include <loci/place.hpp>
#include <loci/tensor.hpp>
#include <vector>

#include "framework/eager/backward.h"

namespace loci::eager {

// Used by the thread that set it (ThreadState::interceptor). What it returns are tensors without
// elements.
class Interceptor {
 public:
  virtual ~Interceptor() = default;

  virtual TensorList call(OpCall<Tensor>& call) = 0;
  virtual Tensor to(const Tensor& tensor, const Place& place) = 0;
  virtual Tensor detach(const Tensor& tensor) = 0;
  // `result` has been made of `base`, with which it shares its memory when nobody intercepts.
  virtual Tensor view(const Tensor& base, const Tensor& result) = 0;
  // A change in place: `self` has this value from now on.
  virtual void replace(const Tensor& self, const Tensor& value) = 0;
  // Before the gradient that the tensor keeps is read,
  virtual void read_gradient(const Tensor& tensor) = 0;
  // and before it is replaced.
  virtual void keep_gradient(const Tensor& tensor) = 0;
  // Before a question about what is recorded of it is answered, "requires_grad()". Throws
  // Error(kInvalidArgument) where each call would answer anew.
  virtual void check_question(const Tensor& tensor, const char* question) = 0;
  // Before set_requires_grad().
  virtual void change_requirement(const Tensor& tensor, bool required) = 0;
  // Before "register_hook()" or "retain_grad()". Throws Error(kInvalidArgument) where it would
  // reach what outlives the call.
  virtual void check_watch(const Tensor& tensor, const char* call) = 0;
  virtual std::vector<Tensor> backward(const BackwardRequest& request) = 0;

  // Control flow, as loci/control_flow.hpp has it.
  virtual std::vector<Tensor> choose(const std::vector<Tensor>& predicates,
                                     const std::vector<ListBranch<Tensor>>& branches) = 0;
  virtual std::vector<Tensor> choose(const Tensor& index, const std::vector<std::int64_t>& keys,
                                     const std::vector<ListBranch<Tensor>>& branches) = 0;
  virtual std::vector<Tensor> loop(
      const std::function<Tensor(const std::vector<Tensor>&)>& condition,
      const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body,
      const std::vector<Tensor>& values, const WhileOptions& options) = 0;
  virtual ScanResult<Tensor> scan(
      const std::function<ScanResult<Tensor>(const std::vector<Tensor>&,
                                             const std::vector<Tensor>&)>& body,
      const std::vector<Tensor>& carry, const std::vector<Tensor>& xs,
      const ScanOptions& options) = 0;
  virtual Tensor select(const Tensor& mask, const std::vector<Tensor>& inputs) = 0;
};

}  // namespace loci::eager
