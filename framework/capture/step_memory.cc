#include "framework/capture/step_memory.h"

#include <algorithm>

#include "framework/eager/queues.h"
#include "framework/eager/thread_state.h"

namespace loci::capture {
namespace {

// An op that changes a tensor that was there has it among its inputs.
bool is_input(const eager::Task& task, const tensor::Storage* storage) {
  for (std::size_t i = 0; i < task.input_count(); ++i) {
    if (task.arguments[i] != nullptr && task.arguments[i]->storage().get() == storage) return true;
  }
  return false;
}

}  // namespace

StepMemory::StepMemory(device::Device& device)
    : device_(device),
      queue_(eager::current_queue(eager::thread_state(),
                                  eager::Queues::instance().default_queue(device))) {}

void StepMemory::note_task(const eager::Task& task, const eager::Queue& queue) {
  if (task.plan == nullptr || &queue.device() != &device_) return;
  note_outputs(task);
  const std::uint64_t scratch =
      task.plan->kernel != nullptr ? task.plan->kernel->workspace_bytes() : 0;
  if (bytes_ + scratch <= peak_bytes_) return;
  remove_ended();
  if (bytes_ + scratch <= peak_bytes_) return;
  queue_.settle();
  remove_ended();
  peak_bytes_ = std::max(peak_bytes_, bytes_ + scratch);
}

void StepMemory::note_outputs(const eager::Task& task) {
  for (std::size_t i = task.input_count(); i < task.arguments.size(); ++i) {
    if (task.arguments[i] == nullptr) continue;
    const std::shared_ptr<tensor::Storage>& storage = task.arguments[i]->storage();
    if (storage->bytes == 0 || is_input(task, storage.get())) continue;
    made_.push_back({storage, storage->bytes});
    bytes_ += storage->bytes;
  }
}

void StepMemory::remove_ended() {
  std::erase_if(made_, [this](const Made& each) {
    const bool has_ended = each.storage.expired();
    if (has_ended) bytes_ -= each.bytes;
    return has_ended;
  });
}

}  // namespace loci::capture
