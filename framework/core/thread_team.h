// The one thread team of the process: all callers share its threads, and nobody waits for one that
// the system did not run.
#pragma once

#include <atomic>
#include <cstdint>

namespace loci::core {

// Called with disjoint ranges that cover the loop; must not throw. `worker` is below
// parallel_width() and differs between ranges that run at the same time; a worker may get several
// ranges, one after the other.
using RangeBody = void (*)(void* context, std::int64_t begin, std::int64_t end,
                           std::uint32_t worker);

// Runs `body` over [begin, end) in ranges of at least `grain` items. Inline if one range is enough,
// if the process's width is one, or if already inside a loop. Thread-safe; a body must not fork().
void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain, RangeBody body,
                  void* context);

// How many threads a loop started by this thread may use: the width of the process, and one within
// a loop.
std::uint32_t parallel_width() noexcept;

inline constexpr std::uint32_t kMostThreads = 4096;

// Width of the whole process: LOCI_THREADS or --threads, else OMP_NUM_THREADS, which other
// libraries of this field go by, else the processors that the process may use. A loop has 256
// threads at most. Throws Error(kInvalidArgument) outside [1, kMostThreads].
void set_process_width(std::uint32_t threads);
namespace detail {
inline constinit std::atomic<std::uint32_t> width{0};  // 0: not known yet
std::uint32_t first_width() noexcept;
}  // namespace detail
// Also called where nothing may be thrown: while LOCI_THREADS is wrong, what it is without it.
inline std::uint32_t process_width() noexcept {
  const std::uint32_t known = detail::width.load(std::memory_order_relaxed);
  return known != 0 ? known : detail::first_width();
}

}  // namespace loci::core
