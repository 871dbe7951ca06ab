// Measures what asynchronous execution brings: the time to enqueue an op, and work that overlaps on
// several places. Each figure comes from a process of its own, since the software accelerator is
// set up once.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <loci/loci.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/bench/report.h"

namespace loci::bench {
namespace {

constexpr int kRepetitions = 25;
constexpr int kEnqueued = 500;  // fewer than fill the queue
constexpr std::int64_t kElements = (128 << 10) / sizeof(float);
constexpr double kEnqueueBudgetNs = 500;
constexpr double kTwoDevicesBudget = 0.6;
constexpr double kBesideBudget = 0.75;
constexpr double kOverlapBudget = 0.9;

using Values = std::vector<double>;

double seconds(const std::function<void()>& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The median of each figure over repetitions of all of them, in turns.
Values medians(const std::vector<std::function<double()>>& figures) {
  std::vector<Values> times(figures.size());
  for (int i = 0; i <= kRepetitions; ++i) {
    for (std::size_t k = 0; k < figures.size(); ++k) {
      const double figure = figures[k]();
      if (i > 0) times[k].push_back(figure);  // the first one finds kernels and memory
    }
  }
  Values result;
  for (Values& each : times) {
    std::sort(each.begin(), each.end());
    result.push_back(each[each.size() / 2]);
  }
  return result;
}

// The `count` values that `measure` gives in a child process, where LOCI_SIM is `sim`. To be called
// while this process has one thread.
Values in_child(const std::string& sim, std::size_t count, const std::function<Values()>& measure) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
  const ::pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no process");
  Values values(count);
  const std::size_t bytes = count * sizeof(double);
  if (child == 0) {
    bool told = false;
    try {
      config::set("SIM", sim);
      config::set("CPU_ONEDNN", "0");  // the same kernels on the CPU and on the accelerator
      config::set_threads(1);
      values = measure();
      told = ::write(ends[1], values.data(), bytes) == static_cast<::ssize_t>(bytes);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "bench_async: %s\n", error.what());
    }
    ::_exit(told ? 0 : 1);
  }
  ::close(ends[1]);
  const bool told = ::read(ends[0], values.data(), bytes) == static_cast<::ssize_t>(bytes);
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  if (!told) throw std::runtime_error("a process that measures failed");
  return values;
}

// Additions behind one that keeps the worker at work.
Values enqueue_ns() {
  const Tensor x = full({kElements}, 1.0);
  const Tensor y = full({kElements}, 2.0);
  return medians({[&] {
    Tensor result = x + y;
    const double time = seconds([&] {
      for (int i = 0; i < kEnqueued; ++i) result = x + y;
    });
    synchronize("cpu");
    return time / kEnqueued * 1e9;
  }});
}

// So that both places are at work before the first wait.
void run_both(const std::function<void()>& first, const std::function<void()>& second) {
  first();
  second();
  synchronize();
}

// How long both take together over the sum of each alone.
double share_of_sum(const std::function<void()>& first, const std::function<void()>& second) {
  const auto alone = [](const std::function<void()>& body) {
    return seconds([&] {
      body();
      synchronize();
    });
  };
  const double sum = alone(first) + alone(second);
  return seconds([&] { run_both(first, second); }) / sum;
}

void chain_of_additions(Tensor value) {
  for (int i = 0; i < 50; ++i) value = value + value;
}

Values two_devices() {
  const Tensor first = full({1}, 1.0, kFloat32, "sim:0");
  const Tensor second = full({1}, 1.0, kFloat32, "sim:1");
  return medians({[&] {
    return share_of_sum([&] { chain_of_additions(first); }, [&] { chain_of_additions(second); });
  }});
}

constexpr std::int64_t kSide = 192;
constexpr int kProducts = 64;
constexpr int kBareProducts = 8;  // of a loop that is not written for speed

void chain_of_products(const Tensor& x) {
  Tensor value = x;
  for (int i = 0; i < kProducts; ++i) value = matmul(value, x);
}

// Such work without Loci.
void bare_products(const std::vector<float>& x) {
  constexpr auto kWidth = static_cast<std::size_t>(kSide);
  std::vector<float> value = x;
  for (int product = 0; product < kBareProducts; ++product) {
    std::vector<float> next(value.size());
    for (std::size_t i = 0; i < kWidth; ++i) {
      for (std::size_t k = 0; k < kWidth; ++k) {
        const float left = value[i * kWidth + k];
        for (std::size_t j = 0; j < kWidth; ++j) next[i * kWidth + j] += left * x[k * kWidth + j];
      }
    }
    value = std::move(next);
  }
  asm volatile("" : : "r"(value.data()) : "memory");
}

double share_of_bare_threads(const std::vector<float>& x) {
  const double sum = seconds([&] { bare_products(x); }) + seconds([&] { bare_products(x); });
  return seconds([&] {
           std::thread other([&] { bare_products(x); });
           bare_products(x);
           other.join();
         }) /
         sum;
}

Values beside_the_cpu() {
  const double element = 1.0 / static_cast<double>(kSide);  // products stay as they are
  const Tensor here = full({kSide, kSide}, element);
  const Tensor there = full({kSide, kSide}, element, kFloat32, "sim:0");
  const std::vector<float> bare(static_cast<std::size_t>(kSide * kSide),
                                static_cast<float>(element));
  // The work runs twice on the host: this is what the machine has to give.
  const Stream first("cpu");
  const Stream second("cpu");
  const auto on = [&](const Stream& stream) {
    const StreamGuard guard(stream);
    chain_of_products(here);
  };
  return medians({[&] {
                    return share_of_sum([&] { chain_of_products(there); },
                                        [&] { chain_of_products(here); });
                  },
                  [&] { return share_of_bare_threads(bare); },
                  [&] { return share_of_sum([&] { on(first); }, [&] { on(second); }); }});
}

constexpr int kChunks = 40;

// Chunks go to the device and are worked on there: what overlapping saves of what it could at most.
double overlap(const std::function<Tensor(const Tensor&)>& copy) {
  const Tensor chunk = full({4096}, 1.0);
  const Tensor resident = chunk.to("sim:0");
  synchronize();
  const auto time_chunks = [](const std::function<void()>& body) {
    return seconds([&] {
      for (int i = 0; i < kChunks; ++i) body();
      synchronize("sim:0");
    });
  };
  const double copies = time_chunks([&] { (void)copy(chunk); });
  const double compute = time_chunks([&] { (void)relu(resident); });
  const double together = time_chunks([&] { (void)relu(copy(chunk)); });
  return (copies + compute - together) / std::min(copies, compute);
}

Values copies_beside_compute() {
  const Stream stream("sim:0");
  const auto on_stream = [&](const Tensor& tensor) {
    const StreamGuard guard(stream);
    return tensor.to("sim:0");
  };
  return medians({[&] { return overlap([](const Tensor& tensor) { return tensor.to("sim:0"); }); },
                  [&] { return overlap(on_stream); }});
}

void measure(Report* report) {
  const Values enqueue = in_child("devices=1", 1, enqueue_ns);
  const Values devices = in_child("devices=2,launch_us=200", 1, two_devices);
  const Values beside = in_child("devices=1", 3, beside_the_cpu);
  const Values copies =
      in_child("devices=1,launch_us=1000,copy_latency_us=1000", 2, copies_beside_compute);
  report->add({"enqueue of a 128 KiB add on cpu, worker awake",
               enqueue[0],
               "ns",
               true,
               "",
               {},
               kEnqueueBudgetNs});
  report->add(
      {"sim:0 beside sim:1, over their sum", devices[0], "ratio", true, "", {}, kTwoDevicesBudget});
  report->add({"cpu beside sim:0, over their sum", beside[0], "ratio", true, "two bare threads",
               beside[1], kBesideBudget});
  report->add({"two streams of the cpu, over their sum", beside[2], "ratio", true, "", {}, {}});
  report->add({"copies by to() beside compute, of ideal",
               copies[0],
               "ratio",
               false,
               "",
               {},
               kOverlapBudget});
  report->add({"copies on a Stream beside compute, of ideal",
               copies[1],
               "ratio",
               false,
               "",
               {},
               kOverlapBudget});
}

}  // namespace
}  // namespace loci::bench

int main(int argc, char** argv) {
  try {
    loci::bench::Report report("async", argc, argv);
    loci::bench::measure(&report);
    report.print();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_async: %s\n", error.what());
    return 1;
  }
}
