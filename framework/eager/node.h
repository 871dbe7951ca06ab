// The records of the tape: one node for each call.
#pragma once

#include <cstdint>
#include <functional>
#include <loci/inline_list.hpp>
#include <loci/tensor.hpp>
#include <memory>
#include <string>
#include <vector>

#include "framework/autograd/gradient_sum.h"
#include "framework/ops/infer_context.h"
#include "framework/tensor/tensor_impl.h"

namespace loci::eager {

class Node;

// Where a gradient goes: to an output of a node, or to a leaf. A default one: nowhere.
struct Edge {
  std::shared_ptr<Node> node;
  std::uint32_t output = 0;
  std::shared_ptr<tensor::TensorImpl> leaf;

  [[nodiscard]] bool defined() const { return node != nullptr || leaf != nullptr; }
};

// A gradient on its way.
using Gradient = autograd::GradientSum<SparseRows>;
using Gradients = InlineList<Gradient, 3>;

using Hook = std::function<Tensor(const Tensor&)>;

// The facts that the tape keeps with a tensor.
struct History final : tensor::Recorded {
  bool requires_grad = false;  // of a leaf
  std::shared_ptr<Node> node;  // that computed it; null for a leaf
  std::uint32_t output = 0;    // of the node
  Gradient grad;
  std::vector<Hook> hooks;  // of a leaf; a node keeps those of its outputs
};

// The tensor's; null without one.
[[nodiscard]] inline History* history_of(const tensor::TensorImpl& impl) {
  return static_cast<History*>(impl.recorded());
}
// Made where there is none.
[[nodiscard]] History& ensure_history(tensor::TensorImpl& impl);
[[nodiscard]] inline bool requires_grad(const Tensor& tensor) {
  const History* history = history_of(*tensor.impl());
  return history != nullptr && (history->requires_grad || history->node != nullptr);
}
// Where the gradient of the tensor goes.
[[nodiscard]] Edge edge_of(const Tensor& tensor);
// A tensor with the same elements, and with a gradient that goes there.
[[nodiscard]] Tensor attached(const Tensor& tensor, const Edge& edge);

// A tensor of that form without elements, for ops that read the form alone.
[[nodiscard]] Tensor form_of(const ops::TensorType& type, device::Device* device);

// One output of a node.
struct NodeOutput {
  ops::TensorType type;
  device::Device* device = nullptr;  // null for the host
};

// Recorded work with its gradient; held by std::shared_ptr. backward() visits it on one thread.
class Node : public std::enable_shared_from_this<Node> {
 public:
  Node();
  virtual ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  // "elementwise_add".
  [[nodiscard]] virtual const std::string& name() const = 0;
  // The gradients of what the edges lead to, by edge, from those of the outputs. Throws
  // Error(kInvalidArgument) if what it saved has been released or changed.
  virtual Gradients backward(const Gradients& outputs, bool creates_graph) = 0;
  // Lets go of what was saved.
  virtual void release() {}
  // True once release() has been called, so that no gradient goes through it any more.
  [[nodiscard]] virtual bool is_released() const { return false; }

  // Nodes are numbered in the order of their making, in the process.
  [[nodiscard]] std::uint64_t number() const { return number_; }

  InlineList<Edge, 3> edges;
  InlineList<NodeOutput, 1> outputs;
  // Hooks of outputs, and those that keep their gradient.
  struct Watch {
    std::uint32_t output;
    Hook hook;                                // or
    std::weak_ptr<tensor::TensorImpl> keeps;  // a tensor
  };
  std::vector<Watch> watches;

  // The state of the backward() that is under way.
  struct Visit {
    const void* walk = nullptr;
    Gradients arrived;  // by output
    bool is_needed = true;
  };
  Visit visit;

  std::shared_ptr<Node> next_to_end;  // see ~Node()

 protected:
  [[nodiscard]] std::shared_ptr<Node> own() { return shared_from_this(); }

 private:
  std::uint64_t number_;
};

// Makes `tensor` output `output` of the node.
void set_node(const Tensor& tensor, const std::shared_ptr<Node>& node, std::uint32_t output);

}  // namespace loci::eager
