#include "framework/device/timed_work.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "framework/device/capture_rules.h"

namespace loci::device {
namespace {

using Timers = std::vector<std::shared_ptr<WorkTimer>>;

struct Added {
  std::mutex mutex;
  Timers timers;
};

// Lives on: other threads may still enqueue work while the process ends.
Added& added() {
  static auto* instance = new Added;
  return *instance;
}

}  // namespace

void add_work_timer(std::shared_ptr<WorkTimer> timer) {
  const std::lock_guard lock(added().mutex);
  Timers& timers = added().timers;
  if (std::find(timers.begin(), timers.end(), timer) == timers.end()) {
    timers.push_back(std::move(timer));
  }
  detail::times_work.store(true, std::memory_order_release);
}

void remove_work_timer(const WorkTimer& timer) {
  const std::lock_guard lock(added().mutex);
  Timers& timers = added().timers;
  timers.erase(std::remove_if(timers.begin(), timers.end(),
                              [&](const auto& each) { return each.get() == &timer; }),
               timers.end());
  detail::times_work.store(!timers.empty(), std::memory_order_release);
}

void TimedWork::begin(Device& device, loci_stream* stream, const Work& work) {
  // The child of a fork() works on inline devices alone; it may have the lock as a thread left it.
  if (device.is_inline()) return;
  // An event in a stream that is captured would become a part of the graph.
  if (active_captures.load(std::memory_order_acquire) != 0) return;
  Timers timers;
  {
    const std::lock_guard lock(added().mutex);
    timers = added().timers;
  }
  stream_ = stream;
  for (std::shared_ptr<WorkTimer>& timer : timers) {
    interval_ = timer->begin(device, stream, work);
    if (interval_ == nullptr) continue;
    timer_ = std::move(timer);
    return;
  }
}

}  // namespace loci::device
