// Which stream of a device may begin a task.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace loci::sim {

// The lower number is the greater priority. Streams of one priority do not wait for each other. Any
// thread may call.
class PriorityGate {
 public:
  // A stream has a task that is ready.
  void enter(std::int32_t priority);
  // Before each of its tasks: waits until no stream of a greater priority is within.
  void wait_turn(std::int32_t priority);
  // It has none any more.
  void leave(std::int32_t priority);

 private:
  [[nodiscard]] bool has_greater(std::int32_t priority) const;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::int32_t, std::size_t> within_;  // streams by priority; none is 0
};

}  // namespace loci::sim
