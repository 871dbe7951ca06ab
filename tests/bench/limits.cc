#include "tests/bench/limits.h"

#include <algorithm>
#include <array>
#include <barrier>
#include <chrono>
#include <functional>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "plugins/kernels/float_vectors.h"
#include "plugins/kernels/isa.h"

namespace loci::bench {
namespace {

using kernels::FloatVector;
using kernels::run_widest;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr Seconds kRound{0.001};
constexpr Seconds kLongest{0.5};  // for all rounds of one figure
constexpr std::size_t kFewestRounds = 15;
constexpr std::size_t kAgreeing = 4;  // of the best rounds
constexpr double kAgreement = 0.03;
constexpr std::array<std::int64_t, 8> kLevels = {1 << 14, 1 << 16, 1 << 18, 1 << 20,
                                                 1 << 22, 1 << 24, 1 << 26, 1 << 28};

// So many sums hide the latency of two units, and fit 16 registers beside what they take in.
constexpr int kSums = 12;
constexpr std::int64_t kSteps = 1 << 12;
constexpr int kLoads = 8;  // in a step of a loop that reads

// The compiler has to take the value for used, and for unknown from here on.
template <class T>
LOCI_INLINE inline void keep(T& value) {
  asm volatile("" : "+m"(value) : : "memory");
}

// Returns how many FLOPs it has done.
double multiply_and_add() {
  double flops = 0;
  run_widest([&](auto width) LOCI_INLINE {
    using Vector = FloatVector<width.kBytes>;
    typename Vector::type sums[kSums] = {};
    typename Vector::type factor = typename Vector::type{} + 0.5F;
    typename Vector::type term = typename Vector::type{} + 1.0F;
    keep(factor);
    keep(term);
    for (std::int64_t i = 0; i < kSteps; ++i) {
      for (auto& sum : sums) sum = sum * factor + term;
    }
    keep(sums);
    flops = 2.0 * static_cast<double>(kSteps * kSums * Vector::kLanes);
  });
  return flops;
}

void read_all(const float* from, std::int64_t count) {
  run_widest([&](auto width) LOCI_INLINE {
    using Vector = FloatVector<width.kBytes>;
    typename Vector::type sums[kLoads] = {};
    for (std::int64_t i = 0; i + kLoads * Vector::kLanes <= count; i += kLoads * Vector::kLanes) {
      for (int part = 0; part < kLoads; ++part) {
        typename Vector::type value;
        kernels::load(value, from + i + part * Vector::kLanes);
        sums[part] += value;
      }
    }
    keep(sums);
  });
}

void copy_all(const float* from, float* to, std::int64_t count) {
  run_widest([&](auto width) LOCI_INLINE {
    using Vector = FloatVector<width.kBytes>;
    for (std::int64_t i = 0; i + Vector::kLanes <= count; i += Vector::kLanes) {
      typename Vector::type value;
      kernels::load(value, from + i);
      kernels::store(value, to + i);
    }
  });
  asm volatile("" : : "r"(to) : "memory");
}

// Returns the amount of work that it has done, for a thread of that number.
using Work = std::function<double(int thread)>;

// The amount per second of all threads together, round after round: short ones, so that some meet
// no other work of the machine, and more until the best agree.
class Rounds {
 public:
  Rounds(int threads, Work work)
      : work_(std::move(work)), all_there_(threads), rates_(static_cast<std::size_t>(threads)) {
    std::vector<std::jthread> others;
    for (int thread = 1; thread < threads; ++thread) {
      others.emplace_back([this, thread] { run(thread); });
    }
    run(0);
  }

  [[nodiscard]] double best() const { return sums_.front(); }

 private:
  void run(int thread) {
    while (!is_over_) {
      work_(thread);  // touches its memory, fills its caches
      all_there_.arrive_and_wait();
      rates_[static_cast<std::size_t>(thread)] = rate_of_round(thread);
      all_there_.arrive_and_wait();
      if (thread == 0) end_round();
      all_there_.arrive_and_wait();
    }
  }

  double rate_of_round(int thread) const {
    double amount = 0;
    Seconds time{0};
    const auto start = Clock::now();
    while (time < kRound) {
      amount += work_(thread);
      time = Clock::now() - start;
    }
    return amount / time.count();
  }

  void end_round() {
    sums_.push_back(std::accumulate(rates_.begin(), rates_.end(), 0.0));
    std::sort(sums_.begin(), sums_.end(), std::greater<>());
    const bool is_enough =
        sums_.size() >= kFewestRounds && sums_[kAgreeing - 1] >= (1 - kAgreement) * sums_.front();
    is_over_ = is_enough || Clock::now() - begin_ > kLongest;
  }

  Work work_;
  std::barrier<> all_there_;
  std::vector<double> rates_;  // of a round, by thread
  std::vector<double> sums_;   // best first
  const Clock::time_point begin_ = Clock::now();
  bool is_over_ = false;
};

double best_rate(int threads, const Work& work) { return Rounds(threads, work).best(); }

MemoryLevel measure_level(std::int64_t bytes, int threads) {
  // Each thread has so many, with room for what a line of a cache may hold besides.
  const auto count = bytes / threads / static_cast<std::int64_t>(sizeof(float));
  std::vector<std::vector<float>> memory(static_cast<std::size_t>(threads));
  for (auto& part : memory) part.assign(static_cast<std::size_t>(count), 1.0F);
  const auto part = [&](int thread) { return memory[static_cast<std::size_t>(thread)].data(); };
  const double part_bytes = static_cast<double>(bytes) / threads;
  return {bytes,
          best_rate(threads,
                    [&](int thread) {
                      read_all(part(thread), count);
                      return part_bytes;
                    }),
          best_rate(threads, [&](int thread) {
            copy_all(part(thread), part(thread) + count / 2, count / 2);
            return part_bytes;
          })};
}

// A copy or read that reaches a rate with more bytes can be expected to with fewer.
void let_rates_fall(std::vector<MemoryLevel>& levels) {
  for (std::size_t i = levels.size() - 1; i-- > 0;) {
    levels[i].read = std::max(levels[i].read, levels[i + 1].read);
    levels[i].copy = std::max(levels[i].copy, levels[i + 1].copy);
  }
}

}  // namespace

Limits measure_limits(int threads) {
  Limits limits{threads, best_rate(threads, [](int) { return multiply_and_add(); }), {}};
  for (const std::int64_t bytes : kLevels) limits.levels.push_back(measure_level(bytes, threads));
  let_rates_fall(limits.levels);
  return limits;
}

}  // namespace loci::bench
