#include "framework/core/team_workers.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>

#include "framework/core/affinity.h"
#include "framework/core/crowding.h"
#include "framework/core/futex.h"
#include "framework/core/spin.h"

namespace loci::core {
namespace {

// Threads look for twice as long as waking one takes; steps of a program follow each other faster.
constexpr std::chrono::microseconds kLookFor{100};

constexpr std::uint32_t kLoops = 32;  // bits of `calls`
constinit std::array<TeamLoop, kLoops> loops{};

// A bit for each loop that is open.
alignas(64) constinit std::atomic<std::uint32_t> calls{0};
// Callers within loops, and threads that help.
alignas(64) constinit std::atomic<std::uint32_t> computing{0};
// Threads that look for a loop without sleeping, and those that sleep.
alignas(64) constinit std::atomic<std::uint32_t> looking{0};
constinit std::atomic<std::uint32_t> sleeping{0};
// Sleeping threads wait on this count of how often somebody was woken.
constinit std::atomic<std::uint32_t> wakes{0};
// Threads that there are, and whether the system refused another one.
constinit std::atomic<std::uint32_t> threads{0};
constinit std::atomic<bool> was_refused{false};

constinit thread_local bool in_loop = false;
constinit thread_local std::uint64_t opened = 0;

// A place among those who compute, if the width leaves one.
bool take_place() noexcept {
  std::uint32_t now = computing.load(std::memory_order_relaxed);
  do {
    if (now >= process_width()) return false;
  } while (!computing.compare_exchange_weak(now, now + 1, std::memory_order_relaxed));
  return true;
}

constexpr std::uint32_t bit_of(std::uint32_t loop) { return std::uint32_t{1} << loop; }

// Callers that came meanwhile compute themselves.
bool has_place() noexcept { return computing.load(std::memory_order_relaxed) <= process_width(); }

// Helps with one loop that calls; whether there was one.
bool help_once() noexcept {
  std::uint32_t called = calls.load(std::memory_order_acquire);
  while (called != 0) {
    const auto loop = static_cast<std::uint32_t>(std::countr_zero(called));
    called &= called - 1;
    if (!loops[loop].has_seat()) continue;
    if (!take_place()) return false;
    looking.fetch_sub(1, std::memory_order_relaxed);
    const bool helped = loops[loop].join(&has_place);
    looking.fetch_add(1, std::memory_order_relaxed);
    computing.fetch_sub(1, std::memory_order_relaxed);
    if (helped) return true;
  }
  return false;
}

bool is_wanted() noexcept {
  if (computing.load(std::memory_order_seq_cst) >= process_width()) return false;
  std::uint32_t called = calls.load(std::memory_order_seq_cst);
  for (; called != 0; called &= called - 1) {
    if (loops[static_cast<std::uint32_t>(std::countr_zero(called))].has_seat()) return true;
  }
  return false;
}

// Whoever calls after the last look sees that somebody sleeps, and changes the word.
void sleep_until_called() noexcept {
  looking.fetch_sub(1, std::memory_order_relaxed);
  sleeping.fetch_add(1, std::memory_order_seq_cst);
  const std::uint32_t seen = wakes.load(std::memory_order_seq_cst);
  if (!is_wanted()) futex_wait(wakes, seen);
  sleeping.fetch_sub(1, std::memory_order_relaxed);
  looking.fetch_add(1, std::memory_order_relaxed);
}

// One thread, whose number is the argument.
void* work(void* argument) noexcept {
  const auto number = reinterpret_cast<std::uintptr_t>(argument);
  bind_to_processor(number);
  in_loop = true;
  while (true) {
    const auto help = [number] {
      note_looking(static_cast<std::uint32_t>(number));
      return help_once();
    };
    if (spin_until(kLookFor, help)) continue;
    note_asleep(static_cast<std::uint32_t>(number));
    sleep_until_called();
  }
}

void begin_again() noexcept {
  for (TeamLoop& loop : loops) loop.begin_again();
  forget_looking();
  for (std::atomic<std::uint32_t>* word :
       {&calls, &computing, &looking, &sleeping, &wakes, &threads}) {
    word->store(0, std::memory_order_relaxed);
  }
  was_refused.store(false, std::memory_order_relaxed);
}

// Detached, and deaf to signals, which are the application's threads' to take.
bool start_thread(std::uintptr_t number) noexcept {
  static const int kRegistered = pthread_atfork(nullptr, nullptr, &begin_again);
  (void)kRegistered;
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  looking.fetch_add(1, std::memory_order_relaxed);
  const bool is_started =
      pthread_create(&thread, nullptr, &work, reinterpret_cast<void*>(number)) == 0;
  if (is_started) {
    pthread_detach(thread);
  } else {
    looking.fetch_sub(1, std::memory_order_relaxed);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return is_started;
}

// So that there are as many as the caller wants, and no more than the width has.
void have_threads(std::uint32_t wanted) noexcept {
  std::uint32_t there = threads.load(std::memory_order_relaxed);
  while (there < wanted && !was_refused.load(std::memory_order_relaxed)) {
    if (!threads.compare_exchange_weak(there, there + 1, std::memory_order_relaxed)) continue;
    if (start_thread(there + 1)) {
      ++there;
    } else {
      threads.fetch_sub(1, std::memory_order_relaxed);
      was_refused.store(true, std::memory_order_relaxed);
    }
  }
}

// Those who look come by themselves.
void wake_threads(std::uint32_t helpers) noexcept {
  const std::uint32_t asleep = sleeping.load(std::memory_order_seq_cst);
  if (asleep == 0) return;
  const std::uint32_t awake = looking.load(std::memory_order_relaxed);
  if (awake >= helpers) return;
  wakes.fetch_add(1, std::memory_order_seq_cst);
  futex_wake(wakes, static_cast<int>(std::min(helpers - awake, asleep)));
}

void run_alone(const TeamLoop::Work& work) noexcept {
  const WithoutTeam inside;
  work.body(work.context, work.begin, work.end, 0);
}

// A loop that was free, or kLoops.
std::uint32_t claim_loop() noexcept {
  std::uint32_t loop = 0;
  while (loop < kLoops && !loops[loop].claim()) ++loop;
  return loop;
}

// Ends the caller's loop; the place that it leaves may serve a thread that another loop waits for.
void leave_team(std::uint32_t bit) noexcept {
  const std::uint32_t others = calls.fetch_and(~bit, std::memory_order_relaxed) & ~bit;
  computing.fetch_sub(1, std::memory_order_seq_cst);
  if (others != 0) wake_threads(1);
}

}  // namespace

bool is_in_loop() noexcept { return in_loop; }

WithoutTeam::WithoutTeam() noexcept : was_in_loop_(in_loop) { in_loop = true; }
WithoutTeam::~WithoutTeam() { in_loop = was_in_loop_; }

bool team_has_place() noexcept {
  return !in_loop && computing.load(std::memory_order_relaxed) + 1 < process_width();
}

std::uint64_t loops_opened() noexcept { return opened; }

void run_on_team(const TeamLoop::Work& work, std::uint32_t members) noexcept {
  ++opened;
  const std::uint32_t place = computing.fetch_add(1, std::memory_order_relaxed);
  const std::uint32_t width = process_width();
  const std::uint32_t free_places = place + 1 < width ? width - place - 1 : 0;
  const std::uint32_t loop = claim_loop();
  if (loop == kLoops) {
    run_alone(work);
    computing.fetch_sub(1, std::memory_order_relaxed);
    return;
  }
  // The scope covers all that the caller does, so that a nested loop is part of this one.
  const WithoutTeam inside;
  have_threads(members - 1);
  loops[loop].open(work, members);
  calls.fetch_or(bit_of(loop), std::memory_order_seq_cst);
  wake_threads(std::min(members - 1, free_places));
  const bool was_helped = loops[loop].run();
  leave_team(bit_of(loop));
  was_helped ? note_helped() : note_alone(threads.load(std::memory_order_relaxed));
}

}  // namespace loci::core
