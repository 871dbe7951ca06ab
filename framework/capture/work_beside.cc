#include "framework/capture/work_beside.h"

#include <fmt/format.h>

namespace loci::capture {

bool WorkBeside::is_constant(const tensor::TensorImpl& tensor) const {
  const auto found = constants_.find(tensor.storage().get());
  return found != constants_.end() && found->second.lock() == tensor.storage();
}

// A launch alone: what changes a tensor that was there before has it among its inputs. A copy has
// its target, of which nobody knows whether it is new.
bool WorkBeside::makes_constants(const eager::Task& task) const {
  if (task.plan == nullptr || task.plan->schema->is_random()) return false;
  for (std::size_t i = 0; i < task.input_count(); ++i) {
    if (task.arguments[i] != nullptr && !is_constant(*task.arguments[i])) return false;
  }
  return true;
}

void WorkBeside::note_constants(const eager::Task& task) {
  for (std::size_t i = task.input_count(); i < task.arguments.size(); ++i) {
    if (task.arguments[i] == nullptr) continue;
    const std::shared_ptr<tensor::Storage>& storage = task.arguments[i]->storage();
    constants_[storage.get()] = storage;
  }
}

std::string WorkBeside::objection(const eager::Task& task, const eager::Queue& queue) {
  // Done once, whatever the step does.
  const bool is_load = task.plan == nullptr && task.labels.reason == transfer::Reason::kLoad;
  if (is_load || makes_constants(task)) {
    note_constants(task);
    return {};
  }
  if (&queue.device() == &device_) return {};
  return fmt::format("it is work of {}, and the graph is of {}: replays would not do it again",
                     queue.device().place().to_string(), device_.place().to_string());
}

}  // namespace loci::capture
