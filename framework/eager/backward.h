// The reverse walk over what has been recorded.
#pragma once

#include <loci/tensor.hpp>
#include <memory>
#include <string>
#include <vector>

#include "framework/eager/node.h"

namespace loci::eager {

struct BackwardRequest {
  std::vector<Tensor> outputs;
  std::vector<Tensor> weights;  // by output; undefined: one
  // Whose gradients are returned; without any, those of the leaves are added to the leaves.
  std::vector<Tensor> targets;
  bool retains_graph = false;
  bool creates_graph = false;
};

// The gradients of the targets. One thread at a time may go through a node. Throws
// Error(kInvalidArgument) for outputs that nothing is recorded of, for weights of another form,
// and for what the nodes refuse.
std::vector<Tensor> backward(const BackwardRequest& request);

// Calls the hook and gives what takes the place of the gradient: that is the gradient itself where
// the hook gives none. `of` says what it is the gradient of. Throws Error(kInvalidArgument) if it
// has another form.
[[nodiscard]] Tensor hooked(const Hook& hook, const Tensor& gradient, const std::string& of);

// Work of this thread reads the gradient that the tensor keeps, or else replaces it: for a graph
// that is being captured.
void note_gradient(const std::shared_ptr<tensor::TensorImpl>& tensor, bool is_read);

// Rows become part of a dense sum, where there is one; otherwise those of several contributions
// become one. It is the gradient of `of`.
void settle(Gradient* gradient, const tensor::TensorImpl& of);

}  // namespace loci::eager
