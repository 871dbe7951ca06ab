// Measures a replay's host cost: over bare kernels on the CPU, and on sim, whose launches cost
// time.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <loci/loci.hpp>
#include <loci/plugins.hpp>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "framework/capture/outside_tensors.h"
#include "tests/bench/bare_adds.h"
#include "tests/bench/report.h"

namespace loci::bench {
namespace {

constexpr int kRepetitions = 21;

// v = v + y on one element; `ways` chains that are joined at the end.
Tensor chain(const Tensor& x, const Tensor& y, int ops, int ways) {
  std::vector<Tensor> values(static_cast<std::size_t>(ways), x);
  for (int i = 0; i + ways <= ops; ++i) {
    Tensor& value = values[static_cast<std::size_t>(i % ways)];
    value = value + y;
  }
  Tensor sum = values[0];
  for (int way = 1; way < ways; ++way) sum = sum + values[static_cast<std::size_t>(way)];
  return sum;
}

struct Captured {
  Captured(const Place& place, int ops, int ways)
      : x(full({1}, 1.0, kFloat32).to(place)), y(full({1}, 1.0, kFloat32).to(place)), graph(place) {
    graph.capture_begin();
    result = chain(x, y, ops, ways);
    graph.capture_end();
  }
  Tensor x;
  Tensor y;
  Tensor result;
  Graph graph;
};

void measure_cpu(Report* report, int ops, int ways) {
  Captured captured("cpu", ops, ways);
  BareAdds bare(ops);
  const auto replay = [&] {
    captured.graph.replay();
    (void)captured.result.read_data();
  };
  const auto plain = [&] { (void)chain(captured.x, captured.y, ops, ways).read_data(); };
  const std::vector<double> ns = median_ns(
      {{"replay", replay}, {"plain", plain}, {"bare", [&] { bare.run(); }}}, kRepetitions);
  const std::string what = std::to_string(ops) + " ops, " + std::to_string(ways) + " ways, cpu: ";
  report->add({what + "replay over bare kernels, per op",
               (ns[0] - ns[2]) / ops,
               "ns",
               true,
               "",
               {},
               ops >= 100 ? std::optional<double>(10) : std::nullopt});
  report->add({what + "replay", ns[0], "ns", true, "plain calls", ns[1], {}});
  report->add({what + "capture, per op",
               static_cast<double>(captured.graph.stats().capture_ns) / ops,
               "ns",
               true,
               "",
               {},
               ops >= 100 ? std::optional<double>(20'000) : std::nullopt});
}

// Runs the body in a context of its own, at sim with or without its capturer.
template <class Body>
void at_sim(const std::string& settings, bool has_capturer, const Body& body) {
  config::set("SIM", settings);
  const Context context;
  const ContextGuard guard(context);
  plugins::SearchOptions search;
  if (!has_capturer) search.disabled_ids = {"org.loci.sim_graph"};
  plugins::configure(search);
  body();
}

// The median of what the calls take the host, while the device works on the ones before: to wake
// the thread that stands for an idle one costs more than the call.
double host_ns(const std::function<void()>& call, int rounds = 10 * kRepetitions) {
  constexpr int kCalls = 8;
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) {
    call();
    for (int j = 0; j < kCalls; ++j) {
      const auto begin = std::chrono::steady_clock::now();
      call();
      times.push_back(
          std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin)
              .count());
    }
    synchronize("sim:0");
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

struct SimCosts {
  double replay_ns = 0;
  double plain_ns = 0;
  double capture_ns = 0;
};

SimCosts costs_at_sim(int ops, int ways, bool has_capturer) {
  SimCosts costs;
  at_sim("launch_us=0", has_capturer, [&] {
    Captured captured("sim:0", ops, ways);
    costs.capture_ns = static_cast<double>(captured.graph.stats().capture_ns);
    const int rounds = ops > 1000 ? kRepetitions : 10 * kRepetitions;
    costs.replay_ns = host_ns([&] { captured.graph.replay(); }, rounds);
    costs.plain_ns = host_ns([&] { (void)chain(captured.x, captured.y, ops, ways); }, rounds);
  });
  return costs;
}

// The call alone: the device's own time is sim's.
void measure_sim(Report* report, int ops, int ways) {
  const SimCosts listed = costs_at_sim(ops, ways, /*has_capturer=*/false);
  const SimCosts native = costs_at_sim(ops, ways, /*has_capturer=*/true);
  const std::string what = std::to_string(ops) + " ops, " + std::to_string(ways) + " ways, sim: ";
  report->add({what + "host, replay of a launch list", listed.replay_ns, "ns", true, "plain calls",
               listed.plain_ns, std::nullopt});
  report->add({what + "host, replay of a device graph", native.replay_ns, "ns", true, "launch list",
               listed.replay_ns, 2000.0 + 5.0 * ops});
  report->add({what + "capture and instantiate, per op", native.capture_ns / ops, "ns", true,
               "launch list", listed.capture_ns / ops,
               ops >= 100 ? std::optional<double>(20'000) : std::nullopt});
}

// A step of training: two layers over 64 pixels, 10 classes.
struct TrainingStep {
  TrainingStep() : executor("sim:0", CompileOptions::exact(), scope) {
    {
      const ProgramGuard building(main, startup);
      Variable x = data("x", {32, 64}, kFloat32);
      Variable label = data("label", {32, 1}, kInt64);
      x.set_persistable(true);
      label.set_persistable(true);
      const Variable hidden = relu(layers::fc(x, 32));
      const Variable loss = mean(cross_entropy(softmax(layers::fc(hidden, 10)), label));
      optimizer.minimize(loss);
    }
    executor.run(startup);
    scope.set("x", full({32, 64}, 0.5, kFloat32));
    scope.set("label", full({32, 1}, 3, kInt64));
    executor.run(main);
  }
  Scope scope;
  Program main;
  Program startup;
  optimizer::Adam optimizer{0.01};
  Executor executor;
};

struct StepCosts {
  double plain_ns = 0;
  double replay_ns = 0;
  std::uint64_t launches = 0;
};

StepCosts costs_of_step(bool has_capturer) {
  StepCosts costs;
  at_sim("launch_us=5", has_capturer, [&] {
    TrainingStep step;
    Graph graph("sim:0");
    graph.capture_begin();
    step.executor.run(step.main);
    graph.capture_end();
    costs.launches = graph.stats().launches;
    costs.plain_ns = host_ns([&] { step.executor.run(step.main); });
    costs.replay_ns = host_ns([&] { graph.replay(); });
  });
  return costs;
}

void measure_step(Report* report) {
  const StepCosts listed = costs_of_step(/*has_capturer=*/false);
  const StepCosts native = costs_of_step(/*has_capturer=*/true);
  const std::string what = "training step of " + std::to_string(native.launches) +
                           " launches, sim with 5 us each, host: ";
  report->add({what + "replay of a launch list", listed.replay_ns, "ns", true, "plain runs",
               listed.plain_ns, std::nullopt});
  report->add({what + "replay of a device graph", native.replay_ns, "ns", true, "plain runs",
               native.plain_ns, native.plain_ns / 5});
}

// A step that is fed from the host in each run, with its loss fetched.
struct FedStep {
  explicit FedStep(GraphCapture capture) : executor("sim:0", options_of(capture), Scope()) {
    {
      const ProgramGuard building(main, startup);
      const Variable x = data("x", {32, 64}, kFloat32);
      const Variable label = data("label", {32, 1}, kInt64);
      const Variable hidden = relu(layers::fc(x, 32));
      loss = mean(cross_entropy(softmax(layers::fc(hidden, 10)), label));
      optimizer::Adam(0.01).minimize(loss);
    }
    executor.run(startup);
    feed = {{"x", full({32, 64}, 0.5, kFloat32)}, {"label", full({32, 1}, 3, kInt64)}};
    for (int i = 0; i < 3; ++i) run();
  }
  static CompileOptions options_of(GraphCapture capture) {
    CompileOptions options;
    options.capture = capture;
    return options;
  }
  void run() { executor.run(main, feed, {loss}); }

  Program main;
  Program startup;
  Variable loss;
  Executor executor;
  Feed feed;
};

void measure_fed_run(Report* report) {
  for (const char* settings : {"launch_us=5", "launch_us=0"}) {
    at_sim(settings, /*has_capturer=*/true, [&] {
      FedStep plain(GraphCapture::kOff);
      FedStep captured(GraphCapture::kAuto);
      const std::vector<double> ns = median_ns(
          {{"captured", [&] { captured.run(); }}, {"plain", [&] { plain.run(); }}}, kRepetitions);
      report->add({std::string("run of a fed training step that captures itself, ") + settings,
                   ns[0], "ns", true, "plain runs", ns[1], std::nullopt});
    });
  }
}

// A graph that reads and writes many tensors of others.
void measure_guard(Report* report, int tensors) {
  const Tensor one = full({1}, 1.0, kFloat32);
  std::vector<Tensor> outside;
  for (int i = 0; i < tensors; ++i) outside.push_back(full({1}, 1.0, kFloat32));
  const auto capture = [&](Graph& graph, bool distinct) {
    graph.capture_begin();
    for (int i = 0; i < tensors; ++i) {
      outside[distinct ? static_cast<std::size_t>(i) : 0].add_(one);
    }
    graph.capture_end();
  };
  Graph many("cpu");
  Graph single("cpu");
  capture(many, true);
  capture(single, false);
  const std::vector<double> ns = median_ns({{"many",
                                             [&] {
                                               many.replay();
                                               (void)outside.back().read_data();
                                             }},
                                            {"single",
                                             [&] {
                                               single.replay();
                                               (void)outside.front().read_data();
                                             }}},
                                           kRepetitions);
  report->add({std::to_string(tensors) +
                   " tensors of others instead of one, per tensor: checked, ordered, counted",
               (ns[0] - ns[1]) / tensors,
               "ns",
               true,
               "",
               {},
               {}});
  capture::OutsideTensors guarded;
  for (const Tensor& tensor : outside) {
    guarded.add(*tensor.impl(), capture::OutsideTensors::Access::kRead, "op");
    guarded.add(*tensor.impl(), capture::OutsideTensors::Access::kWritten, "op");
  }
  const double checked =
      median_ns({{"check", [&] { guarded.check(/*graph=*/1, /*replays=*/0); }}}, kRepetitions)[0];
  report->add(
      {"of it to check one", checked / tensors, "ns", true, "", {}, std::optional<double>(10)});
}

// Measures the memory that a graph of an imperative training step takes over the tensors that the
// plain step has at one time.
void measure_memory(Report* report) {
  at_sim("launch_us=0", /*has_capturer=*/true, [&] {
    const DeviceGuard device("sim:0");
    nn::Linear first(64, 128);
    nn::Linear last(128, 10);
    std::vector<Tensor> parameters = first.parameters();
    for (const Tensor& parameter : last.parameters()) parameters.push_back(parameter);
    optimizer::Adam adam(0.01);
    CaptureOptions options;
    options.warm_up = 2;
    const CapturedFunction step(
        [&](const std::vector<Tensor>& in) {
          optimizer::Adam::zero_grad(parameters);
          const Tensor loss = mean(cross_entropy(softmax(last(relu(first(in[0])))), in[1]));
          loss.backward();
          adam.step(parameters);
          return std::vector<Tensor>{loss};
        },
        options);
    const std::vector<Tensor> batch{full({256, 64}, 0.5, kFloat32).to("sim:0"),
                                    full({256, 1}, 3, kInt64).to("sim:0")};
    for (int i = 0; i < 4; ++i) (void)step(batch);
    const CaptureReport captured = step.report();
    const CapturedForm& form = captured.forms.front();
    if (form.captures == 0) throw std::runtime_error("not captured: " + form.reason);
    report->add({"graph of a training step, its memory over the plain step's peak",
                 static_cast<double>(form.peak_bytes) / static_cast<double>(form.estimated_bytes),
                 "",
                 true,
                 "",
                 {},
                 1.1});
  });
}

}  // namespace
}  // namespace loci::bench

int main(int argc, char** argv) {
  try {
    loci::bench::Report report("replay", argc, argv);
    for (const int ways : {1, 4}) {
      for (const int ops : {1, 10, 100, 1000, 10000}) {
        if (ops < ways) continue;
        if (report.is_wanted("cpu")) loci::bench::measure_cpu(&report, ops, ways);
        if (report.is_wanted("sim")) loci::bench::measure_sim(&report, ops, ways);
      }
    }
    if (report.is_wanted("training step")) {
      loci::bench::measure_step(&report);
      loci::bench::measure_fed_run(&report);
      loci::bench::measure_memory(&report);
    }
    if (report.is_wanted("tensors")) loci::bench::measure_guard(&report, 1000);
    report.print();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_replay: %s\n", error.what());
    return 1;
  }
}
