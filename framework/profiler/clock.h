// The clock of all records: the processor's time stamp counter where it runs at a constant rate on
// all cores, else the monotonic clock. Two reads of either are most of what a scope costs.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace loci::profiler {

// Nanoseconds of the monotonic clock, which is the host table's now_ns too.
std::uint64_t monotonic_ns() noexcept;

namespace detail {
inline std::atomic<bool> reads_tsc{false};
}

// Chooses the clock; before it ticks are nanoseconds. Not while something is recorded.
void choose_clock();
// Returns true if the processor says that its counter is invariant, and the kernel trusts it.
bool has_invariant_tsc();

inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
  if (detail::reads_tsc.load(std::memory_order_relaxed)) return __rdtsc();
#endif
  return monotonic_ns();
}

// Both clocks at one moment.
struct ClockSample {
  std::uint64_t ticks = 0;
  std::uint64_t ns = 0;
  std::uint64_t uncertainty_ns = 0;  // the reads were at most that far apart
};
// The closest of several tries.
ClockSample sample_clock();

// From ticks to nanoseconds, linear between samples.
class ClockFit {
 public:
  // At least two samples, by time.
  explicit ClockFit(std::vector<ClockSample> samples);

  // Returns monotonic time. The line goes on before the first sample and after the last one.
  [[nodiscard]] std::uint64_t to_ns(std::uint64_t at) const;
  // How far a sample lies from the line between its neighbours, at most, plus what the samples
  // themselves may be wrong by.
  [[nodiscard]] std::uint64_t error_ns() const;

 private:
  std::vector<ClockSample> samples_;
};

}  // namespace loci::profiler
