#include "framework/core/thread_team.h"

#include <omp.h>

#include <algorithm>
#include <atomic>

#include "framework/core/config.h"
#include "framework/core/raise.h"

namespace loci::core {
namespace {

constexpr std::int64_t kMaxThreads = 4096;

std::atomic<std::uint32_t>& width() {
  static std::atomic<std::uint32_t> value{
      static_cast<std::uint32_t>(config_integer("THREADS", omp_get_max_threads(), 1, kMaxThreads))};
  return value;
}

thread_local std::uint32_t budget = 0;  // 0: no budget of its own

}  // namespace

std::uint32_t process_width() { return width().load(std::memory_order_relaxed); }

void set_process_width(std::uint32_t threads) {
  if (threads < 1 || threads > kMaxThreads) {
    raise(ErrorCode::kInvalidArgument, "[threads] {} is not in [1, {}]", threads, kMaxThreads);
  }
  width().store(threads, std::memory_order_relaxed);
  omp_set_num_threads(static_cast<int>(parallel_width()));
}

std::uint32_t parallel_width() {
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
