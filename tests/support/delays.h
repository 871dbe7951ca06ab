// Threads that stop for some microseconds wherever they are, again and again.
//
// What goes wrong only where a thread is stopped between two steps, such as a wakeup that gets lost
// between a look and a sleep, shows within seconds. A program that links this has its calls around
// waiting taken over, those of plugins too.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace loci::test {

// While it lives, threads stop before they wait, wake and lock, between any two of the instructions
// that follow a lock or its end, and where a signal meets them. One at a time. With the thread
// sanitizer, which takes the same calls over and holds signals back, it does nothing.
class Delays {
 public:
  explicit Delays(std::uint64_t seed);
  ~Delays();
  Delays(const Delays&) = delete;
  Delays& operator=(const Delays&) = delete;

 private:
  void interrupt(std::uint64_t seed);

  std::atomic<bool> ends_{false};
  std::thread thread_;
};

}  // namespace loci::test
