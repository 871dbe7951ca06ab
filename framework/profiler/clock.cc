#include "framework/profiler/clock.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <string>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace loci::profiler {
namespace {

constexpr int kTries = 8;

// The line through two samples. Ticks may be before either.
double on_line(const ClockSample& first, const ClockSample& second, std::uint64_t at) {
  const auto span = static_cast<double>(second.ticks - first.ticks);
  if (span == 0) return static_cast<double>(first.ns);
  const auto past = static_cast<double>(static_cast<std::int64_t>(at - first.ticks));
  return static_cast<double>(first.ns) + past * (static_cast<double>(second.ns - first.ns) / span);
}

#if defined(__x86_64__)
bool processor_says_invariant() {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  constexpr unsigned kPowerManagement = 0x80000007;
  constexpr unsigned kInvariantTsc = 1U << 8;
  return __get_cpuid(kPowerManagement, &eax, &ebx, &ecx, &edx) != 0 && (edx & kInvariantTsc) != 0;
}
#endif

// The kernel watches the counter and drops it if cores disagree. A hypervisor's clock is derived
// from the counter, so that it is trusted there too.
bool kernel_trusts_tsc() {
  std::ifstream file("/sys/devices/system/clocksource/clocksource0/available_clocksource");
  std::string name;
  while (file >> name) {
    if (name == "tsc") return true;
  }
  return false;
}

}  // namespace

std::uint64_t monotonic_ns() noexcept {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

bool has_invariant_tsc() {
#if defined(__x86_64__)
  static const bool has = processor_says_invariant() && kernel_trusts_tsc();
  return has;
#else
  return false;
#endif
}

void choose_clock() { detail::reads_tsc.store(has_invariant_tsc(), std::memory_order_relaxed); }

ClockSample sample_clock() {
  ClockSample best;
  best.uncertainty_ns = UINT64_MAX;
  for (int i = 0; i < kTries; ++i) {
    const std::uint64_t before = monotonic_ns();
    const std::uint64_t at = ticks();
    const std::uint64_t after = monotonic_ns();
    if (after - before >= best.uncertainty_ns) continue;
    best = {at, before + (after - before) / 2, after - before};
  }
  return best;
}

ClockFit::ClockFit(std::vector<ClockSample> samples) : samples_(std::move(samples)) {}

std::uint64_t ClockFit::to_ns(std::uint64_t at) const {
  // The first sample after `at`, but neither the first nor beyond the last of all.
  auto next =
      std::upper_bound(samples_.begin() + 1, samples_.end() - 1, at,
                       [](std::uint64_t t, const ClockSample& sample) { return t < sample.ticks; });
  const double ns = on_line(*(next - 1), *next, at);
  return ns <= 0 ? 0 : static_cast<std::uint64_t>(std::llround(ns));
}

std::uint64_t ClockFit::error_ns() const {
  double worst = 0;
  std::uint64_t uncertainty = 0;
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    uncertainty = std::max(uncertainty, samples_[i].uncertainty_ns);
    if (i == 0 || i + 1 == samples_.size()) continue;
    const double expected = on_line(samples_[i - 1], samples_[i + 1], samples_[i].ticks);
    worst = std::max(worst, std::abs(expected - static_cast<double>(samples_[i].ns)));
  }
  return static_cast<std::uint64_t>(std::llround(worst)) + uncertainty / 2;
}

}  // namespace loci::profiler
