#include "framework/core/crowding.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>

#include "framework/core/team_loop.h"

namespace loci::core {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kNowhere = -1;
// Loops in a row: one that was too short to be helped with says nothing.
constexpr std::uint32_t kManyAlone = 8;
// Moving costs tens of microseconds.
constexpr std::chrono::milliseconds kBetweenMoves{10};

struct alignas(64) Place {
  std::atomic<int> processor{kNowhere};
};
constinit Place places[TeamLoop::kMostMembers + 1];

constinit thread_local std::uint32_t alone = 0;
constinit thread_local Clock::time_point moved{};

Place& place_of(std::uint32_t number) noexcept {
  return places[std::min(number, TeamLoop::kMostMembers)];
}

bool looks_at(std::uint32_t threads, int processor) noexcept {
  for (std::uint32_t number = 1; number <= std::min(threads, TeamLoop::kMostMembers); ++number) {
    if (places[number].processor.load(std::memory_order_relaxed) == processor) return true;
  }
  return false;
}

// To one where none of them looks, if there is one. The mask is the thread's own again at once.
void leave(std::uint32_t threads, int processor) noexcept {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  cpu_set_t free = allowed;
  for (int other = 0; other < CPU_SETSIZE; ++other) {
    if (CPU_ISSET(other, &allowed) && looks_at(threads, other)) CPU_CLR(other, &free);
  }
  if (CPU_COUNT(&free) == 0) {
    free = allowed;
    CPU_CLR(processor, &free);
  }
  if (CPU_COUNT(&free) == 0 || sched_setaffinity(0, sizeof free, &free) != 0) return;
  (void)sched_setaffinity(0, sizeof allowed, &allowed);
}

}  // namespace

// Written when it changes alone: callers read it, and whoever looks comes here again and again.
void note_looking(std::uint32_t number) noexcept {
  std::atomic<int>& noted = place_of(number).processor;
  const int here = sched_getcpu();
  if (noted.load(std::memory_order_relaxed) != here) noted.store(here, std::memory_order_relaxed);
}

void note_asleep(std::uint32_t number) noexcept {
  place_of(number).processor.store(kNowhere, std::memory_order_relaxed);
}

void forget_looking() noexcept {
  for (Place& place : places) place.processor.store(kNowhere, std::memory_order_relaxed);
}

void note_helped() noexcept { alone = 0; }

void note_alone(std::uint32_t threads) noexcept {
  if (++alone < kManyAlone) return;
  alone = 0;
  const int here = sched_getcpu();
  if (here < 0 || !looks_at(threads, here)) return;
  const Clock::time_point now = Clock::now();
  if (now - moved < kBetweenMoves) return;
  moved = now;
  leave(threads, here);
}

}  // namespace loci::core
