#include "plugins/sim/mark.h"

namespace loci::sim {

void Mark::reach() {
  const std::lock_guard lock(mutex_);
  reached_ = true;
  time_ = std::chrono::steady_clock::now();
  changed_.notify_all();
}

void Mark::wait() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return reached_; });
}

bool Mark::reached() const {
  const std::lock_guard lock(mutex_);
  return reached_;
}

Mark::Time Mark::time() const {
  const std::lock_guard lock(mutex_);
  return time_;
}

}  // namespace loci::sim
