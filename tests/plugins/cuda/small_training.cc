#include "tests/plugins/cuda/small_training.h"

namespace loci::test {
namespace {

constexpr std::int64_t kRows = 4;
constexpr std::int64_t kWidth = 8;
constexpr std::int64_t kClasses = 3;
constexpr std::uint64_t kSeed = 11;

}  // namespace

SmallTraining::SmallTraining() {
  const ProgramGuard building(main_, startup_);
  const Variable x = data("x", {kRows, kWidth}, kFloat32);
  const Variable label = data("label", {kRows, 1}, kInt64);
  const Variable hidden = relu(layers::fc(x, 16));
  loss_ = mean(softmax_with_cross_entropy(layers::fc(hidden, kClasses), label));
  optimizer::Adam(0.01).minimize(loss_);
}

Feed SmallTraining::feed_of(int step) {
  std::vector<float> x;
  for (std::int64_t i = 0; i < kRows * kWidth; ++i) {
    x.push_back(static_cast<float>((i * 7 + step * 5) % 11) / 11.0F - 0.5F);
  }
  std::vector<std::int64_t> label;
  for (std::int64_t row = 0; row < kRows; ++row) label.push_back((row + step) % kClasses);
  return {{"x", Tensor::from(x, {kRows, kWidth})}, {"label", Tensor::from(label, {kRows, 1})}};
}

SmallTraining::Trained SmallTraining::run(const Place& place, const CompileOptions& options,
                                          int steps) const {
  const Scope scope;
  Executor executor(place, options, scope);
  config::set_seed(kSeed);
  executor.run(startup_);
  Trained trained;
  for (int step = 0; step < steps; ++step) {
    trained.values.push_back(executor.run(main_, feed_of(step), {loss_})[0].item<float>());
  }
  for (const std::string& name : scope.names()) {
    const Tensor kept = scope.find(name);
    if (kept.dtype() != kFloat32) continue;
    const auto elements = kept.to_vector<float>();
    trained.values.insert(trained.values.end(), elements.begin(), elements.end());
  }
  trained.replays = inspect::capture(executor, main_, feed_of(0), {loss_}).replays;
  return trained;
}

}  // namespace loci::test
