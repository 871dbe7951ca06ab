#include "large_table.h"

#include <cstdio>
#include <loci/loci.hpp>
#include <optional>
#include <stdexcept>
#include <vector>

namespace device_guard {
namespace {

constexpr std::int64_t kWidth = 150;
constexpr int kSteps = 5;

struct Model {
  loci::Program main;
  loci::Program startup;
  loci::Variable loss;
};

Model build(std::int64_t rows, bool guarded) {
  Model model;
  const loci::ProgramGuard building(model.main, model.startup);
  const loci::Variable ids = loci::fill_constant({1}, 128, loci::kInt64);
  const loci::Variable label = loci::fill_constant({1, kWidth}, 0.5);
  loci::Variable embedded;
  {
    std::optional<loci::DeviceGuard> on_cpu;
    if (guarded) on_cpu.emplace(loci::Place("cpu"));
    embedded = loci::layers::embedding(ids, {rows, kWidth});
  }
  model.loss = loci::mean(loci::square_error_cost(loci::l2_normalize(embedded), label));
  loci::optimizer::SGD(0.001).minimize(model.loss);
  return model;
}

std::vector<float> train(const Model& model, const std::string& device) {
  loci::Executor executor(loci::Place{device}, loci::CompileOptions{}, loci::Scope{});
  executor.run(model.startup);
  std::vector<float> losses;
  for (int step = 0; step < kSteps; ++step) {
    losses.push_back(executor.run(model.main, {}, {model.loss}).front().item<float>());
  }
  return losses;
}

}  // namespace

void train_large_table(const std::string& device, std::int64_t rows) {
  std::printf("a table of %lld x %lld, %.2f GiB\n", static_cast<long long>(rows),
              static_cast<long long>(kWidth),
              static_cast<double>(rows) * kWidth * sizeof(float) / (1 << 30));
  const std::vector<float> losses = train(build(rows, /*guarded=*/true), device);
  std::printf("embedding on the CPU, the rest on %s: loss %.6f -> %.6f\n", device.c_str(),
              static_cast<double>(losses.front()), static_cast<double>(losses.back()));
  if (!(losses.back() < losses.front())) throw std::runtime_error("the loss does not fall");
  try {
    train(build(rows, /*guarded=*/false), device);
  } catch (const loci::Error& error) {
    if (error.code() != loci::ErrorCode::kOutOfMemory) throw;
    std::printf("without the guard: %s\n%s\n", error.what(), error.details().c_str());
    return;
  }
  throw std::runtime_error("the table fits into the device; give more rows");
}

}  // namespace device_guard
