#include "plugins/sim/priority_gate.h"

namespace loci::sim {

void PriorityGate::enter(std::int32_t priority) {
  const std::lock_guard lock(mutex_);
  ++within_[priority];
}

void PriorityGate::wait_turn(std::int32_t priority) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !has_greater(priority); });
}

void PriorityGate::leave(std::int32_t priority) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = within_.find(priority);
    if (--found->second > 0) return;
    within_.erase(found);
  }
  changed_.notify_all();
}

bool PriorityGate::has_greater(std::int32_t priority) const {
  return !within_.empty() && within_.begin()->first < priority;
}

}  // namespace loci::sim
