#include "framework/capture/graph_temporaries.h"

#include <utility>

#include "framework/device_graph/graph_items.h"

namespace loci::capture {

GraphTemporaries::Made& GraphTemporaries::of(const std::shared_ptr<tensor::Storage>& storage) {
  const auto found = index_.find(storage.get());
  if (found != index_.end() && all_[found->second].owner.lock() == storage) {
    return all_[found->second];
  }
  index_[storage.get()] = all_.size();
  const auto data = reinterpret_cast<std::uintptr_t>(storage->data);
  return all_.emplace_back(Made{{data, storage->bytes, {}}, storage});
}

void GraphTemporaries::note_use(const std::shared_ptr<tensor::Storage>& storage,
                                GraphTemporary::Use use) {
  if (storage->bytes > 0) of(storage).temporary.uses.push_back(use);
}

void GraphTemporaries::note_workspace(const void* data, std::uint64_t bytes, std::uint32_t item) {
  if (bytes == 0) return;
  all_.push_back(
      {{reinterpret_cast<std::uintptr_t>(data), bytes, {{item, device_graph::Address::kWorkspace}}},
       {}});
}

void GraphTemporaries::pin(const std::shared_ptr<tensor::Storage>& storage) {
  of(storage).is_pinned = true;
}

std::vector<GraphTemporary> GraphTemporaries::take_ended() {
  std::vector<GraphTemporary> ended;
  for (Made& made : all_) {
    if (!made.is_pinned && made.owner.expired()) ended.push_back(std::move(made.temporary));
  }
  all_.clear();
  index_.clear();
  return ended;
}

}  // namespace loci::capture
