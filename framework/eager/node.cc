#include "framework/eager/node.h"

#include <atomic>
#include <utility>

#include "framework/core/per_thread.h"
#include "framework/device/device.h"
#include "framework/memory/node_pool.h"

namespace loci::eager {
namespace {

std::atomic<std::uint64_t> next_number{1};

struct EndingNodes {
  std::vector<std::shared_ptr<Node>> nodes;
  bool is_busy = false;  // a call further out ends them
};

// Ends nodes one after the other: a chain of a million calls would not fit on the stack.
void end_later(InlineList<Edge, 3>& edges) {
  auto& [ending, is_busy] = core::PerThread<EndingNodes>::get();
  for (Edge& edge : edges) {
    if (edge.node != nullptr) ending.push_back(std::move(edge.node));
  }
  if (is_busy) return;
  is_busy = true;
  while (!ending.empty()) {
    const std::shared_ptr<Node> node = std::move(ending.back());
    ending.pop_back();
  }
  is_busy = false;
}

}  // namespace

Node::Node() : number_(next_number.fetch_add(1, std::memory_order_relaxed)) {}

Node::~Node() { end_later(edges); }

History& ensure_history(tensor::TensorImpl& impl) {
  if (impl.recorded() == nullptr) impl.set_recorded(std::make_unique<History>());
  return *history_of(impl);
}

Tensor form_of(const ops::TensorType& type, device::Device* device) {
  auto storage = memory::make_pooled<tensor::Storage>();
  if (device != nullptr) storage->place = device->place();
  storage->device = device;
  storage->absence = "a gradient needs only its form";
  return Tensor(
      memory::make_pooled<tensor::TensorImpl>(type.dtype, type.shape, std::move(storage)));
}

Edge edge_of(const Tensor& tensor) {
  const History* history = history_of(*tensor.impl());
  if (history == nullptr) return {};
  if (history->node != nullptr) return {history->node, history->output, nullptr};
  return history->requires_grad ? Edge{nullptr, 0, tensor.impl()} : Edge{};
}

Tensor attached(const Tensor& tensor, const Edge& edge) {
  if (edge.leaf != nullptr && edge.leaf->storage() == tensor.impl()->storage()) {
    return Tensor(edge.leaf);
  }
  Tensor alias = tensor.detach();
  if (edge.node != nullptr) set_node(alias, edge.node, edge.output);
  return alias;
}

void set_node(const Tensor& tensor, const std::shared_ptr<Node>& node, std::uint32_t output) {
  History& history = ensure_history(*tensor.impl());
  history.requires_grad = false;
  history.node = node;
  history.output = output;
}

}  // namespace loci::eager
