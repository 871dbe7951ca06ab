// What training a large embedding costs: the program of examples/embedding_cpu on 1,024 ids.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <loci/loci.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/bench/peer.h"
#include "tests/bench/report.h"

namespace loci::bench {
namespace {

constexpr std::int64_t kRows = 10'000'000;
constexpr std::int64_t kWidth = 150;
constexpr std::int64_t kIds = 1024;
constexpr int kRepetitions = 201;
constexpr int kFills = 3;
constexpr double kStepBudgetUs = 300;
constexpr double kMemoryBudget = 1.05;
constexpr double kBandwidthBudget = 0.5;

struct Model {
  Model() {
    const ProgramGuard building(main, startup);
    const Variable ids = data("ids", {kIds}, kInt64);
    const Variable label = data("label", {kIds, kWidth}, kFloat32);
    const Variable normalized = l2_normalize(layers::embedding(ids, {kRows, kWidth}));
    loss = mean(square_error_cost(normalized, label));
    optimizer::SGD(0.001).minimize(loss);
  }
  Program main;
  Program startup;
  Variable loss;
};

// Ids all over the table, so that no row is in a cache.
Feed scattered_ids(std::int64_t step) {
  std::vector<std::int64_t> ids(kIds);
  std::uint64_t state = 0x9E3779B97F4A7C15ULL * static_cast<std::uint64_t>(step + 1);
  for (std::int64_t& id : ids) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    id = static_cast<std::int64_t>((state >> 33) % kRows);
  }
  return {{"ids", Tensor::from<std::int64_t>(ids, {kIds})},
          {"label", Tensor::from<float>(std::vector<float>(kIds * kWidth, 0.5F), {kIds, kWidth})}};
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return std::strtod(line.c_str() + 6, nullptr) * 1024;
  }
  return 0;
}

// Bytes a second, with the threads that kernels have.
double write_bandwidth(char* memory, std::size_t bytes) {
  const auto threads = static_cast<std::size_t>(std::max(config::threads(), 1));
  const std::size_t part = bytes / threads;
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < threads; ++i) {
    others.emplace_back([=] { std::memset(memory + i * part, 0, part); });
  }
  std::memset(memory, 0, part);
  for (std::thread& other : others) other.join();
  return static_cast<double>(part * threads) / seconds_since(start);
}

// In turns, into the memory of the table itself.
void measure_initialisation(Executor& executor, const Model& model, Report* report) {
  const Tensor table = executor.scope().find("embedding_0.weight");
  std::vector<double> fills;
  std::vector<double> writes;
  for (int i = 0; i < kFills; ++i) {
    const auto start = std::chrono::steady_clock::now();
    executor.run(model.startup);
    fills.push_back(static_cast<double>(table.bytes()) / seconds_since(start));
    writes.push_back(write_bandwidth(static_cast<char*>(table.raw_data()), table.bytes()));
  }
  executor.run(model.startup);
  report->add(
      {"initialisation", median(fills) / 1e9, "GB/s", false, "memset", median(writes) / 1e9, {}});
  report->add({"initialisation over the write bandwidth",
               median(fills) / median(writes),
               "ratio",
               false,
               "",
               {},
               kBandwidthBudget});
}

double step_us(Executor& executor, const Model& model) {
  const std::vector<Fetch> fetch{model.loss};
  std::vector<double> times;
  for (int i = 0; i < kRepetitions; ++i) {
    const Feed feed = scattered_ids(i);
    const auto start = std::chrono::steady_clock::now();
    executor.run(model.main, feed, fetch);
    times.push_back(seconds_since(start) * 1e6);
  }
  return median(times);
}

void measure(Report* report) {
  const Model model;
  Executor executor;
  executor.run(model.startup);
  measure_initialisation(executor, model, report);
  config::set_threads(1);
  const double step = step_us(executor, model);
  const double table = static_cast<double>(kRows) * kWidth * sizeof(float);
  const double memory = peak_bytes() / table;
  std::string why;
  const auto peer = run_peer("torch_embedding.py",
                             std::to_string(kRows / 10) + " " + std::to_string(kWidth) + " " +
                                 std::to_string(kIds) + " " + std::to_string(kRepetitions),
                             &why);
  if (!peer) report->note("PyTorch: " + why);
  report->add({"step of 1,024 rows, one thread", step, "us", true,
               "PyTorch, a table a tenth of the size",
               peer ? std::optional<double>(peer->at("step_us")) : std::nullopt, kStepBudgetUs});
  report->add({"peak memory over the table", memory, "ratio", true, "", {}, kMemoryBudget});
}

}  // namespace
}  // namespace loci::bench

int main(int argc, char** argv) {
  try {
    loci::bench::Report report("embedding", argc, argv);
    loci::bench::measure(&report);
    report.print();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_embedding: %s\n", error.what());
    return 1;
  }
}
