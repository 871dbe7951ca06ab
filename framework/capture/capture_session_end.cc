// The end of a capture session: it is finished, has failed, or is abandoned.
#include <utility>

#include "framework/capture/capture_session.h"
#include "framework/capture/refusals.h"

namespace loci::capture {
namespace {

// Any graph may take so much for threads that share its launches.
constexpr std::uint64_t kSharedBytes = 4 << 20;

}  // namespace

void CaptureSession::release_queues() noexcept {
  if (!is_open_.exchange(false)) return;
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < queues_.size(); ++i) queues_.queue(i)->set_recorder(nullptr);
  }
  device::leave_capture(*this);
}

void CaptureSession::keep_outputs() {
  for (const auto& [address, each] : written_) {
    if (!each.is_made) continue;
    if (std::shared_ptr<tensor::Storage> storage = each.storage.lock()) {
      storage->absence.store(tensor::kNotReplayed, std::memory_order_relaxed);
      graph_->outputs.push_back(std::move(storage));
    }
  }
}

// The outputs of a capture that has failed will never be computed, and nothing is changed.
void CaptureSession::drop() noexcept {
  {
    const std::lock_guard lock(mutex_);
    drop_outputs();
    open_.reset();
  }
  graph_->give_up();  // ends nodes of the tape, and with them memory
}

void CaptureSession::drop_outputs() noexcept {
  for (const auto& [address, each] : written_) {
    const std::shared_ptr<tensor::Storage> storage = each.storage.lock();
    if (each.is_made && storage != nullptr) {
      storage->absence.store("the capture that would have computed it was given up",
                             std::memory_order_relaxed);
    }
  }
}

std::shared_ptr<CapturedGraph> CaptureSession::finish(GraphSplitting splitting) {
  const std::vector<std::string> forks = unjoined();
  release_queues();
  if (!forks.empty()) invalidate(fork_refusal(forks, name()));
  if (has_failed()) {
    drop();
    throw *failure_;
  }
  try {
    graph_->native.lower(device_, splitting);
  } catch (...) {
    drop();
    throw;
  }
  const std::lock_guard lock(mutex_);
  keep_outputs();
  graph_->gradients.close();
  if (temporaries_) {
    graph_->native.share(temporaries_->take_ended(), *graph_->memory,
                         kSharedBytes + graph_->peak_bytes / 4);
  }
  graph_->seal(std::move(extents_));
  open_.reset();
  return graph_;
}

void CaptureSession::abandon() noexcept {
  if (!is_open()) return;
  release_queues();
  drop();
}

}  // namespace loci::capture
