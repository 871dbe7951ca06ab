// Trains a large embedding on the CPU, the first program of the tutorial on switching devices:
// embedding -> l2_normalize -> square_error_cost -> mean -> SGD.
//
//   build/release/bin/embedding_cpu [ROWS [STEPS]]     # ROWS: 10000000 of 150, 5.6 GiB; STEPS: 10
//
// prints how long the table took to initialise, the loss of each step, the median time of a step
// and the peak memory over the size of the table, and fails unless the loss falls. The gradient
// has the rows that were looked up and no others.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <loci/loci.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr std::int64_t kWidth = 150;
constexpr std::int64_t kRow = 128;
constexpr double kLearningRate = 0.001;

struct Model {
  loci::Program main;
  loci::Program startup;
  loci::Variable loss;
};

Model build(std::int64_t rows) {
  Model model;
  const loci::ProgramGuard building(model.main, model.startup);
  const loci::Variable ids = loci::fill_constant({1}, kRow, loci::kInt64);
  const loci::Variable label = loci::fill_constant({1, kWidth}, 0.5);
  const loci::Variable embedded = loci::layers::embedding(ids, {rows, kWidth});
  const loci::Variable normalized = loci::l2_normalize(embedded);
  model.loss = loci::mean(loci::square_error_cost(normalized, label));
  loci::optimizer::SGD(kLearningRate).minimize(model.loss);
  return model;
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  const auto elapsed = std::chrono::steady_clock::now() - start;
  return std::chrono::duration<double, std::milli>(elapsed).count();
}

// The most memory that this process has had, in bytes; 0 where the system does not say.
double peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return std::strtod(line.c_str() + 6, nullptr) * 1024;
  }
  return 0;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::int64_t argument(int argc, char** argv, int index, std::int64_t otherwise) {
  if (index >= argc) return otherwise;
  const std::int64_t value = std::strtoll(argv[index], nullptr, 10);
  if (value <= 0) throw std::invalid_argument("usage: embedding_cpu [ROWS [STEPS]]");
  return value;
}

void train(std::int64_t rows, std::int64_t steps) {
  const Model model = build(rows);
  loci::Executor executor("cpu");
  auto start = std::chrono::steady_clock::now();
  executor.run(model.startup);
  const double gigabytes = static_cast<double>(rows) * kWidth * sizeof(float) / 1e9;
  const double initialised = milliseconds_since(start);
  std::printf("initialised %.2f GB in %.0f ms\n", gigabytes, initialised);

  std::vector<double> times;
  std::vector<float> losses;
  for (std::int64_t step = 0; step < steps; ++step) {
    start = std::chrono::steady_clock::now();
    losses.push_back(executor.run(model.main, {}, {model.loss}).front().item<float>());
    times.push_back(milliseconds_since(start));
    std::printf("step %lld  loss %.6f\n", static_cast<long long>(step + 1), losses.back());
  }
  std::printf("median step %.3f ms, peak memory %.3f x the table\n", median(times),
              peak_bytes() / (gigabytes * 1e9));
  if (losses.size() > 1 && !(losses.back() < losses.front())) {
    throw std::runtime_error("the loss does not fall");
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    train(argument(argc, argv, 1, 10'000'000), argument(argc, argv, 2, 10));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "embedding_cpu: %s\n", error.what());
    return 1;
  }
}
