#include "framework/capture/history_changes.h"

#include <new>
#include <utility>

#include "framework/eager/thread_state.h"

namespace loci::capture {
namespace {

using eager::History;

void restore(tensor::TensorImpl& tensor, bool requires_grad, std::shared_ptr<eager::Node> node,
             std::uint32_t output) {
  if (node == nullptr && !requires_grad && eager::history_of(tensor) == nullptr) return;
  History& history = eager::ensure_history(tensor);
  history.requires_grad = requires_grad;
  history.node.swap(node);
  history.output = output;
}

}  // namespace

void HistoryChanges::note(const std::shared_ptr<tensor::TensorImpl>& tensor) {
  if (!eager::thread_state().records) return;
  Before& before = changed_[tensor.get()];
  if (before.tensor.lock() == tensor) return;
  before = {tensor};  // another one may have lain there
  const History* history = eager::history_of(*tensor);
  if (history == nullptr) return;
  before.requires_grad = history->requires_grad;
  before.node = history->node;
  before.output = history->output;
}

void HistoryChanges::undo() noexcept {
  for (auto& [address, before] : std::exchange(changed_, {})) {
    const std::shared_ptr<tensor::TensorImpl> tensor = before.tensor.lock();
    if (tensor == nullptr) continue;
    try {
      restore(*tensor, before.requires_grad, std::move(before.node), before.output);
    } catch (const std::bad_alloc&) {
      tensor->set_recorded(nullptr);  // no gradient is better than one of what was not done
    }
  }
}

}  // namespace loci::capture
