// One record of an event.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "plugins/sim/vector_clock.h"

namespace loci::sim {

// Any thread may call.
class Mark {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `known` is what has happened when it is reached.
  explicit Mark(VectorClock known) : known_(std::move(known)) {}

  void reach();
  void wait() const;
  [[nodiscard]] bool reached() const;
  // When it was reached. Only if it was.
  [[nodiscard]] Time time() const;
  [[nodiscard]] const VectorClock& known() const { return known_; }

 private:
  const VectorClock known_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool reached_ = false;
  Time time_;
};

}  // namespace loci::sim
