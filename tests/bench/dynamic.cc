// Programs with dynamic dimensions: what a size that is new costs over a steady run at it, what
// oneDNN's share of that is, and what memory thousands of sizes leave behind.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <loci/loci.hpp>
#include <string>
#include <vector>

#include "tests/bench/report.h"

namespace loci::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTimedSizes = 40;
constexpr int kSteadyRuns = 11;
constexpr int kSizes = 5000;
constexpr int kSizesBefore = 10;
constexpr double kOperatorBudgetUs = 20;
constexpr double kMemoryBudgetMib = 64;
constexpr std::int64_t kWidth = 64;

struct Case {
  std::string name;
  Shape declared;
  std::function<Variable(const Variable&)> build;
  std::function<Shape(int)> size;  // the i-th; all of them differ
};

// Softmax between them keeps them from being fused.
Variable four_operators(const Variable& x) { return softmax(tanh(softmax(relu(x)))); }

Variable mlp(const Variable& x) {
  return layers::fc(relu(layers::fc(relu(layers::fc(x, 4 * kWidth)), 4 * kWidth)), 10);
}

// With one head, of a sequence [length, width].
Variable encoder_layer(const Variable& x) {
  const Variable seen = layers::layer_norm(x);
  const Variable keys = layers::fc(seen, kWidth);
  const Variable scores = matmul(layers::fc(seen, kWidth), keys, false, true);
  const Variable attended = x + matmul(softmax(scores), layers::fc(seen, kWidth));
  const Variable wide = gelu(layers::fc(layers::layer_norm(attended), 4 * kWidth));
  return attended + layers::fc(wide, kWidth);
}

Variable convolutions(const Variable& x) {
  const Conv2dOptions same{.paddings = {1, 1}};
  const Variable hidden = pool2d(relu(layers::conv2d(x, 16, 3, same)));
  return relu(layers::conv2d(hidden, 32, 3, same));
}

std::vector<Case> cases() {
  // An encoder sees its lengths again, by when their plans may have been dropped.
  return {
      {"four ops",
       {-1, 16},
       four_operators,
       [](int i) {
         return Shape{i + 1, 16};
       }},
      {"MLP",
       {-1, kWidth},
       mlp,
       [](int i) {
         return Shape{i + 1, kWidth};
       }},
      {"encoder",
       {-1, kWidth},
       encoder_layer,
       [](int i) {
         return Shape{i % 512 + 1, kWidth};
       }},
      {"conv",
       {1, 3, -1, -1},
       convolutions,
       [](int i) {
         return Shape{1, 3, 8 + i % 71, 8 + i / 71};
       }},
  };
}

double resident_mib() {
  std::ifstream file("/proc/self/statm");
  double all = 0;
  double resident = 0;
  file >> all >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

class Job {
 public:
  explicit Job(const Case& of) : case_(of), executor_("cpu", CompileOptions(), scope_) {
    const ProgramGuard building(main_, startup_);
    fetch_ = {case_.build(data("x", case_.declared, kFloat32))};
    executor_.run(startup_);
  }

  double run_us(const Feed& feed) {
    const auto start = Clock::now();
    (void)executor_.run(main_, feed, fetch_);
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  }
  [[nodiscard]] Feed feed(int i) const {
    Tensor input = Tensor::empty(case_.size(i), kFloat32);
    input.fill_(0.5);
    return {{"x", input}};
  }
  [[nodiscard]] std::size_t operators(const Feed& feed) const {
    return inspect::plan(executor_, main_, feed, fetch_).operators.size();
  }
  // What the kernels of oneDNN have taken up to now, their asking and declining included.
  [[nodiscard]] inspect::KernelPreparation onednn() const {
    for (const auto& each : inspect::caches(executor_).preparations) {
      if (each.kernel == "org.loci.cpu/onednn") return each;
    }
    return {};
  }

 private:
  const Case& case_;
  Program main_;
  Program startup_;
  Scope scope_;
  Executor executor_;
  std::vector<Fetch> fetch_;
};

void time_new_sizes(const std::string& name, Job* job, Report* report) {
  std::vector<double> per_operator;
  std::vector<double> compiled;
  std::vector<double> compiling_us;
  for (int i = 0; i < kTimedSizes; ++i) {
    // Spread over the sizes, the first of which are too small for oneDNN.
    const Feed feed = job->feed(i * 12);
    const inspect::KernelPreparation before = job->onednn();
    const double first = job->run_us(feed);
    const inspect::KernelPreparation after = job->onednn();
    std::vector<double> steady;
    for (int run = 0; run < kSteadyRuns; ++run) steady.push_back(job->run_us(feed));
    const double onednn_us = static_cast<double>(after.nanoseconds - before.nanoseconds) / 1000;
    const auto operators = static_cast<double>(job->operators(feed));
    // The first size packs the weights as well, which no other does.
    if (i == 0) continue;
    per_operator.push_back((first - median(steady) - onednn_us) / operators);
    compiled.push_back(static_cast<double>(after.count - before.count));
    compiling_us.push_back(onednn_us);
  }
  report->add({name + ": a new size, per op, without oneDNN",
               median(per_operator),
               "us",
               true,
               "",
               {},
               kOperatorBudgetUs});
  report->add({name + ": kernels of oneDNN a new size", median(compiled), "", true, "", {}, {}});
  report->add({name + ": their preparation", median(compiling_us), "us", true, "", {}, {}});
}

void measure_memory(const std::string& name, Job* job, Report* report) {
  double before = 0;
  for (int i = 0; i < kSizes; ++i) {
    if (i == kSizesBefore) before = resident_mib();
    (void)job->run_us(job->feed(i));
  }
  report->add({name + ": resident memory of 5,000 sizes",
               resident_mib() - before,
               "MiB",
               true,
               "",
               {},
               kMemoryBudgetMib});
}

void measure(Report* report) {
  for (const Case& each : cases()) {
    if (!report->is_wanted(each.name)) continue;
    Job timed(each);
    time_new_sizes(each.name, &timed, report);
    Job many(each);
    measure_memory(each.name, &many, report);
  }
}

}  // namespace
}  // namespace loci::bench

int main(int argc, char** argv) {
  try {
    loci::bench::Report report("dynamic", argc, argv);
    loci::bench::measure(&report);
    report.print();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_dynamic: %s\n", error.what());
    return 1;
  }
}
