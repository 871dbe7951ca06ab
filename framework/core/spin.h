// Waiting for what another thread is about to do.
#pragma once

#include <sched.h>

#include <chrono>

namespace loci::core {

// Spins until `done`, at most for `limit`; returns whether it came. Gives the processor up between
// looks, for whoever else wants it.
template <class Done>
bool spin_until(std::chrono::microseconds limit, const Done& done) {
  using Clock = std::chrono::steady_clock;
  if (done()) return true;
  constexpr int kLooks = 64;
  const Clock::time_point end = Clock::now() + limit;
  do {
    for (int i = 0; i < kLooks; ++i) {
      if (done()) return true;
      __builtin_ia32_pause();
    }
    sched_yield();
  } while (Clock::now() < end);
  return done();
}

}  // namespace loci::core
