// Measures programs whose parts may run at the same time: two devices, two branches of one, copies
// beside kernels, the CPU beside a device. The devices are software accelerators on which a kernel
// or a copy takes two milliseconds at least.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <loci/loci.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/bench/report.h"

namespace loci::bench {
namespace {

constexpr const char* kMachine = "devices=2,launch_us=2000,copy_latency_us=2000";
constexpr int kRepetitions = 9;
constexpr int kChain = 24;
constexpr int kLayers = 16;
constexpr std::int64_t kElements = 64;
constexpr std::int64_t kMatrix = 256;
constexpr double kBranchNs = 40e6;  // what each side of the CPU beside a device is made to take
constexpr double kDevicesBudget = 0.6;
constexpr double kHostBudget = 0.75;
constexpr double kOverlapBudget = 0.9;

// A program, its feeds and what runs it.
class Job {
 public:
  template <class Build>
  explicit Job(const Build& build, int streams = CompileOptions().streams)
      : scope_(), executor_("sim:0", with_streams(streams), scope_) {
    {
      const ProgramGuard building(main_, startup_);
      fetch_ = build();
    }
    executor_.run(startup_);
    run();
  }

  void run() { executor_.run(main_, {}, fetch_); }

 private:
  static CompileOptions with_streams(int streams) {
    CompileOptions options;
    options.streams = streams;
    options.disabled_passes = {"common_subexpression_elimination"};  // the branches are alike
    return options;
  }

  Program main_;
  Program startup_;
  Scope scope_;
  std::vector<Fetch> fetch_;
  Executor executor_;
};

Variable state_at(const char* place, const Shape& shape) {
  const DeviceGuard guard(place);
  return create_parameter(shape, kFloat32, initializer::uniform(-0.1, 0.1));
}

Variable chain_at(const char* place, int length) {
  Variable x = state_at(place, {kElements});
  const DeviceGuard guard(place);
  for (int i = 0; i < length; ++i) x = tanh(x);
  return x;
}

Variable products_at(const char* place, int length) {
  Variable x = state_at(place, {kMatrix, kMatrix});
  const Variable w = state_at(place, {kMatrix, kMatrix});
  const DeviceGuard guard(place);
  for (int i = 0; i < length; ++i) x = matmul(x, w);
  return x;
}

Variable layers_with(const char* weights_at) {
  Variable x = state_at("sim:0", {kElements});
  for (int i = 0; i < kLayers; ++i) {
    x = elementwise_add(x, state_at(weights_at, {kElements}));
  }
  return reduce_sum(x, {0}, /*keep_dim=*/true);
}

// The time of both together over the sum of each alone; the peer is a thread for each.
struct Together {
  double program = 0;
  double threads = 0;
};

template <class First, class Second>
Together together(const First& first, const Second& second) {
  Job both([&] { return std::vector<Fetch>{first(), second()}; });
  Job one([&] { return std::vector<Fetch>{first()}; });
  Job other([&] { return std::vector<Fetch>{second()}; });
  const auto threads = [&] {
    std::thread beside([&] { one.run(); });
    other.run();
    beside.join();
  };
  const std::vector<double> ns = median_ns({{"both", [&] { both.run(); }},
                                            {"one", [&] { one.run(); }},
                                            {"other", [&] { other.run(); }},
                                            {"threads", threads}},
                                           kRepetitions);
  const double sum = ns[1] + ns[2];
  return {ns[0] / sum, ns[3] / sum};
}

void measure_devices(Report* report) {
  const auto first = [] { return chain_at("sim:0", kChain); };
  const Together devices = together(first, [] { return chain_at("sim:1", kChain); });
  report->add({"two devices over the sum of each", devices.program, "", true, "bare threads",
               devices.threads, kDevicesBudget});
  // Threads that run programs of their own share a device's default stream.
  const Together branches = together(first, first);
  report->add({"two branches of a device over the sum of each",
               branches.program,
               "",
               true,
               "",
               {},
               kDevicesBudget});
}

void measure_copies(Report* report) {
  const auto from_host = [] { return std::vector<Fetch>{layers_with("cpu")}; };
  Job streams(from_host);
  Job one_stream(from_host, 1);
  Job kernels([] { return std::vector<Fetch>{layers_with("sim:0")}; });
  const Tensor weight = Tensor::from(std::vector<float>(kElements, 0.5F), {kElements});
  const auto copies = [&] {
    for (int i = 0; i < kLayers; ++i) (void)weight.to("sim:0");
  };
  const std::vector<double> ns = median_ns({{"streams", [&] { streams.run(); }},
                                            {"one stream", [&] { one_stream.run(); }},
                                            {"kernels", [&] { kernels.run(); }},
                                            {"copies", copies}},
                                           kRepetitions);
  // The first copy has no kernel beside it.
  const double ideal = std::max(ns[2], ns[3]) + std::min(ns[2], ns[3]) / kLayers;
  report->add({"copies beside kernels, ideal over the time taken", ideal / ns[0], "", false,
               "one stream", ideal / ns[1], kOverlapBudget});
}

// How many products take about as long as wanted.
int products_for(const char* place) {
  constexpr int kSample = 8;
  Job few([&] { return std::vector<Fetch>{products_at(place, kSample)}; });
  const double each = median_ns({{"few", [&] { few.run(); }}}, 5)[0] / kSample;
  return std::max(1, static_cast<int>(std::lround(kBranchNs / each)));
}

void measure_host(Report* report) {
  const int here = products_for("cpu");
  const int there = products_for("sim:0");
  const Together mixed = together([&] { return products_at("cpu", here); },
                                  [&] { return products_at("sim:0", there); });
  report->add({"the CPU beside a device over the sum of each", mixed.program, "", true,
               "bare threads", mixed.threads, kHostBudget});
}

}  // namespace
}  // namespace loci::bench

int main(int argc, char** argv) {
  try {
    loci::config::set("SIM", loci::bench::kMachine);
    // One thread for the CPU's kernels and one for the device's.
    loci::config::set_threads(1);
    loci::bench::Report report("parallel", argc, argv);
    loci::bench::measure_devices(&report);
    loci::bench::measure_copies(&report);
    loci::bench::measure_host(&report);
    report.print();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_parallel: %s\n", error.what());
    return 1;
  }
}
