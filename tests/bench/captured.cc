// Captured runs on the CPU, of programs and of imperative steps, whose launches threads share,
// against the same runs without that: in turns, on a machine that does nothing else and beside a
// process that takes a processor.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <loci/loci.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/bench/captured_steps.h"
#include "tests/bench/report.h"

namespace loci::bench {
namespace {

constexpr int kRounds = 15;
constexpr double kTurnSeconds = 0.02;
constexpr int kSettling = 400;  // runs until times are known and the way is chosen

// A program and what it is fed, made by `build`, which returns what is fetched.
struct Case {
  std::string name;
  std::function<Variable()> build;
  Shape input;
  bool trains = false;
  double quiet_budget = 1.0;  // of the time without
};

Variable dense(const Variable& x, std::int64_t size) { return relu(layers::fc(x, size)); }

Variable loss_of(const Variable& out) { return mean(out * out); }

Case mlp_step(std::int64_t batch, std::int64_t width) {
  return {"training step of an MLP, 3 layers of " + std::to_string(width) + ", batch " +
              std::to_string(batch),
          [=] {
            const Variable x = data("x", {batch, width}, kFloat32);
            return loss_of(layers::fc(dense(dense(x, width), width), 10));
          },
          {batch, width},
          /*trains=*/true};
}

// Two layers over the steps of a sequence: cells of which none waits for the other are on a
// diagonal.
class Lstm {
 public:
  struct State {
    Variable h;
    Variable c;
  };
  explicit Lstm(std::int64_t units)
      : inputs_(weight({units, 4 * units})),
        states_(weight({units, 4 * units})),
        bias_(weight({4 * units})) {}

  State operator()(const Variable& x, const State& before) const {
    const Variable gates = matmul(x, inputs_) + matmul(before.h, states_) + bias_;
    const std::vector<Variable> parts = split(gates, 4, 1);
    const Variable c = sigmoid(parts[0]) * before.c + sigmoid(parts[1]) * tanh(parts[2]);
    return {sigmoid(parts[3]) * tanh(c), c};
  }

 private:
  static Variable weight(const Shape& shape) {
    return create_parameter(shape, kFloat32, initializer::uniform(-0.1, 0.1));
  }
  Variable inputs_;
  Variable states_;
  Variable bias_;
};

Case lstm(std::int64_t steps, std::int64_t units) {
  return {"LSTM, 2 layers of " + std::to_string(units) + ", " + std::to_string(steps) + " steps",
          [=] {
            const Variable x = data("x", {1, steps * units}, kFloat32);
            const Variable zero = fill_constant({1, units}, 0.0F);
            const Lstm lower(units);
            const Lstm upper(units);
            Lstm::State first{zero, zero};
            Lstm::State second{zero, zero};
            for (std::int64_t t = 0; t < steps; ++t) {
              const Variable now = slice(x, {1}, std::vector<std::int64_t>{t * units},
                                         std::vector<std::int64_t>{(t + 1) * units});
              first = lower(now, first);
              second = upper(first.h, second);
            }
            return second.h;
          },
          {1, steps * units}};
}

Case towers(std::int64_t count, std::int64_t width) {
  return {std::to_string(count) + " towers of 4 layers of " + std::to_string(width) + ", batch 8",
          [=] {
            const Variable x = data("x", {8, width}, kFloat32);
            std::vector<Variable> outs;
            for (std::int64_t i = 0; i < count; ++i) {
              Variable out = x;
              for (int layer = 0; layer < 4; ++layer) out = dense(out, width);
              outs.push_back(out);
            }
            return layers::fc(concat(outs, 1), 10);
          },
          {8, width}};
}

Variable conv(const Variable& x, std::int64_t filters, int size) {
  Conv2dOptions options;
  options.paddings = {size / 2, size / 2};
  return relu(layers::conv2d(x, filters, size, options));
}

Variable inception_block(const Variable& x, std::int64_t filters) {
  Pool2dOptions pool;
  pool.ksize = {3, 3};
  pool.strides = {1, 1};
  pool.paddings = {1, 1};
  const std::vector<Variable> branches{
      conv(x, filters, 1), conv(conv(x, filters / 2, 1), filters, 3),
      conv(conv(x, filters / 4, 1), filters / 2, 5), conv(pool2d(x, pool), filters, 1)};
  return concat(branches, 1);
}

Case inception(std::int64_t size, std::int64_t filters) {
  return {"4 blocks as Inception's, " + std::to_string(filters) + " filters, images of " +
              std::to_string(size),
          [=] {
            Variable x = data("x", {1, 16, size, size}, kFloat32);
            for (int i = 0; i < 4; ++i) x = inception_block(x, filters);
            return reduce_mean(x);
          },
          {1, 16, size, size}};
}

// A case as it is run.
class Job {
 public:
  virtual ~Job() = default;
  virtual void run() = 0;
  [[nodiscard]] virtual Tensor result() const = 0;
  [[nodiscard]] virtual std::string told() const = 0;
};

// With or without forks.
class WithForks {
 public:
  explicit WithForks(bool forks) { config::set("CORE_FORKS", forks ? "1" : "0"); }
  ~WithForks() { config::set("CORE_FORKS", ""); }
  WithForks(const WithForks&) = delete;
  WithForks& operator=(const WithForks&) = delete;
};

class ProgramJob final : public Job {
 public:
  ProgramJob(const Case& given, bool forks) : executor_("cpu", capturing(), Scope()) {
    const WithForks with(forks);
    seed(3);
    Variable out;
    {
      const ProgramGuard building(main_, startup_);
      out = given.build();
      if (given.trains) optimizer_.minimize(out);
    }
    fetch_ = {out};
    executor_.run(startup_);
    feed_ = {{"x", rand(given.input, -1, 1)}};
    for (int i = 0; i < kSettling; ++i) ProgramJob::run();
  }
  void run() override { result_ = executor_.run(main_, feed_, fetch_)[0]; }
  [[nodiscard]] Tensor result() const override { return result_; }
  [[nodiscard]] std::string told() const override {
    return inspect::capture(executor_, main_, feed_, fetch_).to_string();
  }

 private:
  static CompileOptions capturing() {
    CompileOptions options;
    options.capture = GraphCapture::kAuto;
    return options;
  }

  Program main_;
  Program startup_;
  optimizer::Adam optimizer_{1e-4};
  Executor executor_;
  std::vector<Fetch> fetch_;
  Feed feed_;
  Tensor result_;
};

// An imperative step, replayed.
class GraphJob final : public Job {
 public:
  GraphJob(const ImperativeCase& given, bool forks) : graph_("cpu") {
    const WithForks with(forks);
    seed(3);
    step_ = given.make();
    for (int i = 0; i < 2; ++i) step_();
    synchronize();
    graph_.capture_begin();
    result_ = step_();
    graph_.capture_end();
    for (int i = 0; i < kSettling; ++i) GraphJob::run();
  }
  void run() override {
    graph_.replay();
    (void)result_.read_data();
  }
  [[nodiscard]] Tensor result() const override { return result_; }
  [[nodiscard]] std::string told() const override { return graph_.stats().segments[0].reason; }

 private:
  std::function<Tensor()> step_;  // whose tensors the graph reads
  Graph graph_;
  Tensor result_;
};

// Another process that wants a processor all the time.
class BusyProcess {
 public:
  BusyProcess() : child_(fork()) {
    if (child_ < 0) throw std::runtime_error("no process to be busy beside");
    if (child_ > 0) return;
    while (true) __builtin_ia32_pause();
  }
  ~BusyProcess() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  BusyProcess(const BusyProcess&) = delete;
  BusyProcess& operator=(const BusyProcess&) = delete;

 private:
  pid_t child_;
};

// Medians, and means, over turns; of all runs.
struct Times {
  double median = 0;
  double mean = 0;
};

Times times_of(std::vector<double> ns) {
  double sum = 0;
  for (const double each : ns) sum += each;
  const double mean = sum / static_cast<double>(ns.size());
  return {median(std::move(ns)), mean};
}

std::pair<Times, Times> in_turns(Job& forked, Job& plain) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> ns[2];
  for (int round = 0; round < kRounds; ++round) {
    for (const int way : {0, 1}) {
      Job& job = way == 0 ? forked : plain;
      for (double spent = 0; spent < kTurnSeconds * 1e9;) {
        const auto begun = Clock::now();
        job.run();
        ns[way].push_back(std::chrono::duration<double, std::nano>(Clock::now() - begun).count());
        spent += ns[way].back();
      }
    }
  }
  return {times_of(std::move(ns[0])), times_of(std::move(ns[1]))};
}

void add(Report* report, const std::string& name, const std::pair<Times, Times>& times,
         double budget) {
  const auto& [forked, plain] = times;
  report->add({name, forked.median / 1000, "us", true, "one after the other", plain.median / 1000,
               budget * plain.median / 1000});
  report->add({name + ", mean", forked.mean / 1000, "us", true, "one after the other",
               plain.mean / 1000, std::nullopt});
}

template <class JobOfCase, class GivenCase>
void measure(Report* report, const GivenCase& given, double quiet_budget) {
  if (!report->is_wanted(given.name)) return;
  JobOfCase with(given, /*forks=*/true);
  JobOfCase without(given, /*forks=*/false);
  Job& forked = with;
  Job& plain = without;
  if (forked.result().to_vector<float>() != plain.result().to_vector<float>()) {
    throw std::runtime_error(given.name + ": results differ");
  }
  add(report, given.name, in_turns(forked, plain), quiet_budget);
  report->note(given.name + ": " + forked.told());
  const BusyProcess busy;
  add(report, given.name + ", beside a busy process", in_turns(forked, plain), 1.3);
}

}  // namespace
}  // namespace loci::bench

int main(int argc, char** argv) {
  using namespace loci::bench;
  try {
    Report report("captured", argc, argv);
    for (const Case& each : {mlp_step(8, 64), mlp_step(32, 128), lstm(16, 32), lstm(16, 128),
                             towers(2, 64), towers(4, 128), inception(14, 32), inception(28, 64)}) {
      measure<ProgramJob>(&report, each, each.quiet_budget);
    }
    for (const ImperativeCase& each : imperative_cases()) {
      measure<GraphJob>(&report, each, 1.0);
    }
    report.print();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_captured: %s\n", error.what());
    return 1;
  }
}
