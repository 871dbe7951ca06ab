#include "framework/reporting/peaks.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <loci/executor.hpp>
#include <loci/ops.hpp>
#include <vector>

#include "framework/reporting/host_load.h"

namespace loci::reporting {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr Seconds kLongEnough{0.02};  // for one run, that its overhead does not count
constexpr Seconds kTime{0.1};         // for the runs of a round
constexpr Seconds kLevelTime{0.02};   // for the runs of a level of memory
constexpr int kMostRounds = 6;        // of one figure
constexpr double kAgreement = 0.05;   // of rounds that nothing disturbed

// The bytes that calls of the levels move; beyond the last one lie those that the copy moves.
constexpr std::array<std::int64_t, 6> kLevelBytes = {1 << 16, 1 << 18, 1 << 20,
                                                     1 << 22, 1 << 24, 1 << 26};
constexpr int kChain = 16;  // calls of one run, so that its overhead does not count

// A copy is what is measured, and not left out.
CompileOptions as_written() {
  CompileOptions options = CompileOptions::exact();
  options.disabled_passes.emplace_back("no_op_elimination");
  // The rate at which the CPU does it instead is no peak of the place.
  options.fallback = FallbackPolicy::kError;
  return options;
}

// A program of one operator whose result stays at the place.
class Probe {
 public:
  // `make` adds the operators and returns the result; it may use persistable variables.
  Probe(const Place& place, const std::function<Variable()>& make)
      : executor_(place, as_written(), scope_) {
    const ProgramGuard building(main_, startup_);
    // One element is fetched, so that the operator is not left out and nothing large is copied.
    result_ = slice(flatten(make()), {0}, {0}, {1}).name();
    // How the variables come there is no matter.
    Executor(place, CompileOptions::exact(), scope_).run(startup_);
  }

  Seconds run() {
    const auto start = Clock::now();
    executor_.run(main_, {}, {result_});
    return Clock::now() - start;
  }
  // The best of all runs for which there is time.
  Seconds best(Seconds time) {
    const auto end = Clock::now() + time;
    Seconds best = run();
    while (Clock::now() < end) best = std::min(best, run());
    return best;
  }

 private:
  static Variable flatten(const Variable& value) { return reshape(value, {-1}); }

  Program main_;
  Program startup_;
  Scope scope_;
  Executor executor_;
  std::string result_;
};

Variable filled(const Shape& shape, const char* name) {
  return create_persistable(shape, kFloat32, initializer::constant(1.0), name);
}

// A time that several rounds agree on.
struct Timing {
  Seconds best{0};
  bool is_steady = false;  // the best two rounds differ by little
};

// Rounds until the best two agree: what runs beside some of them takes time away for longer than a
// round.
Timing steady_best(Probe& probe) {
  std::vector<Seconds> rounds = {probe.best(kTime), probe.best(kTime)};
  const auto agree = [&rounds] {
    std::sort(rounds.begin(), rounds.end());
    return rounds[1].count() <= (1 + kAgreement) * rounds[0].count();
  };
  while (!agree() && rounds.size() < kMostRounds) rounds.push_back(probe.best(kTime));
  return {rounds[0], agree()};
}

struct Rate {
  double per_second = 0;
  std::int64_t size = 0;
  bool is_steady = false;
};

// Doubles the size until one run takes long enough, or the largest is reached.
Rate best_rate(const Place& place, std::int64_t size, std::int64_t largest,
               const std::function<Variable(std::int64_t)>& make,
               const std::function<double(std::int64_t)>& work) {
  for (;; size *= 2) {
    Probe probe(place, [&] { return make(size); });
    probe.run();  // compiles the plan and touches the memory
    if (size < largest && probe.run() < kLongEnough) continue;
    const Timing timing = steady_best(probe);
    return {work(size) / timing.best.count(), size, timing.is_steady};
  }
}

// The rate of an operator that reads and writes as many bytes in one place, again and again.
double rate_in_place(const Place& place, std::int64_t call_bytes) {
  const auto elements = call_bytes / static_cast<std::int64_t>(2 * sizeof(float));
  Probe probe(place, [elements] {
    Variable value = filled({elements}, "peak_level");
    for (int i = 0; i < kChain; ++i) value = relu(value);
    return value;
  });
  probe.run();
  return kChain * static_cast<double>(call_bytes) / probe.best(kLevelTime).count();
}

// A rate that is reached with more bytes can be expected with fewer.
void let_rates_fall(std::vector<profiler::MemoryLevel>& levels) {
  for (std::size_t i = levels.size() - 1; i-- > 0;) {
    levels[i].bytes = std::max(levels[i].bytes, levels[i + 1].bytes);
  }
}

std::int64_t unix_time() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Peaks measure_peaks(const Place& place) {
  const HostLoad load;
  const Rate flops = best_rate(
      place, 256, 4096,
      [](std::int64_t n) {
        return matmul(filled({n, n}, "peak_a"), filled({n, n}, "peak_b"));
      },
      [](std::int64_t n) { return 2 * std::pow(static_cast<double>(n), 3); });
  const auto copied = [](std::int64_t n) {
    return n * static_cast<std::int64_t>(2 * sizeof(float));
  };
  const Rate copy = best_rate(
      place, std::int64_t{1} << 22, std::int64_t{1} << 26,
      [](std::int64_t n) { return assign(filled({n}, "peak_source")); },
      [&](std::int64_t n) { return static_cast<double>(copied(n)); });
  Peaks peaks;
  peaks.flops = flops.per_second;
  for (const std::int64_t bytes : kLevelBytes) {
    if (bytes >= copied(copy.size)) break;
    peaks.levels.push_back({static_cast<std::uint64_t>(bytes), rate_in_place(place, bytes)});
  }
  // A write in place brings no line into the cache only to overwrite it, as a copy's may.
  peaks.bytes = std::max(copy.per_second, rate_in_place(place, copied(copy.size)));
  peaks.levels.push_back({static_cast<std::uint64_t>(copied(copy.size)), peaks.bytes});
  let_rates_fall(peaks.levels);
  peaks.measured_at = unix_time();
  peaks.others = load.others();
  peaks.is_steady = flops.is_steady && copy.is_steady;
  return peaks;
}

}  // namespace loci::reporting
