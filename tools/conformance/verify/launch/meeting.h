// Threads that go on at the same moment.
#pragma once

#include <atomic>

namespace loci::verify {

// Who waits spins, since a thread that sleeps comes late; and not for ever, since what is to let
// it go on may be wrong.
class Meeting {
 public:
  void open() { is_open_ = true; }
  void wait_until_open();
  // Waits until it is open and a second thread has arrived.
  void arrive();
  // True if somebody went on before it was open.
  [[nodiscard]] bool was_late() const { return was_late_; }

 private:
  std::atomic<int> arrived_{0};
  std::atomic<bool> is_open_{false};
  std::atomic<bool> was_late_{false};
};

}  // namespace loci::verify
