// The one thread team of the process, shared with oneDNN: OpenMP's.
#pragma once

#include <atomic>
#include <cstdint>

namespace loci::core {

// Called with disjoint ranges that cover the loop; must not throw. `worker` is below
// parallel_width() and differs between ranges that run at the same time.
using RangeBody = void (*)(void* context, std::int64_t begin, std::int64_t end,
                           std::uint32_t worker);

// Runs `body` over [begin, end) in ranges of at least `grain` items. Inline if one range is enough,
// if the calling thread's budget is one, or if already inside a loop.
void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain, RangeBody body,
                  void* context);

// How many threads a loop started by this thread may use: the budget of the thread, at most the
// width of the process.
std::uint32_t parallel_width() noexcept;

inline constexpr std::uint32_t kMostThreads = 4096;

// Width of the whole process; LOCI_THREADS or --threads, else OpenMP's own choice. Sets OpenMP's
// number of threads for the calling thread too. Throws Error(kInvalidArgument) outside
// [1, kMostThreads]. The child of a fork() in a process that has computed has a width of 1, because
// it lacks its parent's threads; Error(kUnavailable) for more.
void set_process_width(std::uint32_t threads);
namespace detail {
inline constinit std::atomic<std::uint32_t> width{0};  // 0: not known yet
std::uint32_t first_width() noexcept;
}  // namespace detail
// Also called where nothing may be thrown: while the environment is wrong it is OpenMP's choice.
inline std::uint32_t process_width() noexcept {
  const std::uint32_t known = detail::width.load(std::memory_order_relaxed);
  return known != 0 ? known : detail::first_width();
}

// Tells OpenMP, for regions that libraries open on the calling thread, what parallel_width() says.
// Cheap when nothing changed since the thread's last call.
void adopt_width();

// Gives the calling thread a share of the team while it lives, so that engine threads working side
// by side do not oversubscribe the processor. OpenMP's own number of threads for this thread, which
// oneDNN goes by, is the same share, and afterwards what it was.
class ThreadBudget {
 public:
  explicit ThreadBudget(std::uint32_t threads);
  ~ThreadBudget();
  ThreadBudget(const ThreadBudget&) = delete;
  ThreadBudget& operator=(const ThreadBudget&) = delete;

 private:
  std::uint32_t previous_;
  int previous_openmp_;
};

}  // namespace loci::core
