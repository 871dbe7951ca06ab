#include "framework/core/thread_team.h"

#include <omp.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>

#include "framework/core/environment.h"
#include "framework/core/raise.h"

namespace loci::core {
namespace {

using detail::width;

// Whether OpenMP may have made threads, and whether that was in a process of which this one is the
// child: it lacks them, and would wait for them for ever.
std::atomic<bool> has_team{false};
std::atomic<bool> lacks_team{false};

// The child of a fork() computes on its one thread.
void leave_team_to_parent() {
  if (!has_team.load()) return;
  lacks_team.store(true);
  width.store(1);
  omp_set_num_threads(1);
}

thread_local std::uint32_t budget = 0;  // 0: no budget of its own

}  // namespace

// OpenMP's choice is that of the thread which asks first, and may be above the limit.
std::uint32_t detail::first_width() noexcept {
  const auto own = static_cast<std::uint32_t>(std::max(omp_get_max_threads(), 1));
  // After OpenMP's own handlers, which are there now.
  static const int kRegistered = pthread_atfork(nullptr, nullptr, &leave_team_to_parent);
  (void)kRegistered;
  try {
    const auto given = configured_number("THREADS");
    std::uint32_t none = 0;
    width.compare_exchange_strong(none, given ? static_cast<std::uint32_t>(*given) : own,
                                  std::memory_order_relaxed);
    return width.load(std::memory_order_relaxed);
  } catch (...) {
    return own;  // until it is corrected, of which the calls that may throw tell
  }
}

void set_process_width(std::uint32_t threads) {
  if (threads < 1 || threads > kMostThreads) {
    raise(ErrorCode::kInvalidArgument, "[threads] {} is not in [1, {}]", threads, kMostThreads);
  }
  (void)process_width();  // which prepares for forks
  if (lacks_team.load() && threads > 1) {
    raise(ErrorCode::kUnavailable,
          "[threads] this process was forked from one that had computed, whose threads it lacks, "
          "and computes on one, not on {}; fork first, or start a new program",
          threads);
  }
  width.store(threads, std::memory_order_relaxed);
  omp_set_num_threads(static_cast<int>(parallel_width()));
}

std::uint32_t parallel_width() noexcept {
  if (omp_in_parallel() != 0) return 1;
  return budget == 0 ? process_width() : std::min(budget, process_width());
}

void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain, RangeBody body,
                  void* context) {
  const std::int64_t items = end - begin;
  if (items <= 0) return;
  const std::int64_t ranges = std::min<std::int64_t>(items / std::max<std::int64_t>(grain, 1),
                                                     items <= grain ? 1 : parallel_width());
  if (ranges <= 1) {
    body(context, begin, end, 0);
    return;
  }
  has_team.store(true, std::memory_order_relaxed);
#pragma omp parallel num_threads(static_cast <int>(ranges))
  {
    // OpenMP may give fewer threads than were asked for.
    const std::int64_t team = omp_get_num_threads();
    const std::int64_t member = omp_get_thread_num();
    const std::int64_t first = begin + items * member / team;
    const std::int64_t last = begin + items * (member + 1) / team;
    if (first < last) body(context, first, last, static_cast<std::uint32_t>(member));
  }
}

void adopt_width() {
  thread_local std::uint32_t adopted = 0;
  const std::uint32_t wanted = parallel_width();
  if (adopted == wanted) return;
  omp_set_num_threads(static_cast<int>(wanted));
  if (wanted > 1) has_team.store(true, std::memory_order_relaxed);  // libraries may use it now
  adopted = wanted;
}

ThreadBudget::ThreadBudget(std::uint32_t threads)
    : previous_(budget), previous_openmp_(omp_get_max_threads()) {
  budget = std::max<std::uint32_t>(threads, 1);
  omp_set_num_threads(static_cast<int>(parallel_width()));
}

ThreadBudget::~ThreadBudget() {
  budget = previous_;
  omp_set_num_threads(previous_openmp_);
}

}  // namespace loci::core
