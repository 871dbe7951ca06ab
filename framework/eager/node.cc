#include "framework/eager/node.h"

#include <atomic>
#include <utility>

#include "framework/device/device.h"
#include "framework/memory/node_pool.h"

namespace loci::eager {
namespace {

std::atomic<std::uint64_t> next_number{1};

// Those that the outermost call of this thread still has to end, linked by next_to_end; null
// without such a call.
thread_local std::shared_ptr<Node>* to_end = nullptr;

void add_last_owned(InlineList<Edge, 3>& edges) {
  for (Edge& edge : edges) {
    const std::shared_ptr<Node> node = std::move(edge.node);
    // Another owner ends it, or, where both let go at the same time, a call within this one.
    if (node == nullptr || node.use_count() > 1) continue;
    node->next_to_end = std::move(*to_end);
    *to_end = node;
  }
}

// Ends nodes one after the other: a chain of a million calls would not fit on the stack. Without
// memory, for which a destructor cannot ask.
void end_later(InlineList<Edge, 3>& edges) noexcept {
  if (to_end != nullptr) return add_last_owned(edges);
  std::shared_ptr<Node> first;
  to_end = &first;
  add_last_owned(edges);
  while (first != nullptr) {
    const std::shared_ptr<Node> node = std::move(first);
    first = std::move(node->next_to_end);
  }
  to_end = nullptr;
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
