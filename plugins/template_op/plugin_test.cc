// Trains a small model with the op of the plugin whose file is the argument, and compares the
// gradient with differences.
#include <cmath>
#include <cstdio>
#include <exception>
#include <loci/loci.hpp>
#include <stdexcept>
#include <vector>

namespace {

// Plugins' ops are called by their names.
loci::Variable swish(const loci::Variable& x, double beta) {
  return loci::OpCall<loci::Variable>("sample.swish").input("x", x).attr("beta", beta).result();
}

void require(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

// d mean(swish(x)^2) / dx, exact to the square of the step.
void check_gradient() {
  const loci::Program program;
  const loci::ProgramGuard building(program);
  const loci::Variable x = loci::data("x", {5}, loci::kFloat64);
  const loci::Variable loss = loci::mean(loci::square(swish(x, 1.5)));
  const loci::Variable gradient = loci::gradients(loss, {x})[0];
  loci::Executor executor;
  const auto run = [&](const std::vector<double>& at, const loci::Variable& fetch) {
    const loci::Tensor fed = loci::Tensor::from<double>(at, {5});
    return executor.run(program, {{"x", fed}}, {fetch})[0].to_vector<double>();
  };
  const std::vector<double> point{-3.0, -0.7, 0.0, 0.4, 2.0};
  const std::vector<double> computed = run(point, gradient);
  constexpr double kStep = 1e-5;
  for (std::size_t i = 0; i < point.size(); ++i) {
    std::vector<double> above = point;
    std::vector<double> below = point;
    above[i] += kStep;
    below[i] -= kStep;
    const double slope = (run(above, loss)[0] - run(below, loss)[0]) / (2 * kStep);
    require(std::abs(slope - computed[i]) < 1e-8, "the gradient is not that of the op");
  }
}

// Fits y = x1 xor x2, which takes a hidden layer.
void train() {
  const loci::Program program;
  const loci::Program startup;
  const loci::ProgramGuard building(program, startup);
  const loci::Variable x = loci::data("x", {4, 2}, loci::kFloat32);
  const loci::Variable y = loci::data("y", {4, 1}, loci::kFloat32);
  const loci::Variable out = loci::layers::fc(swish(loci::layers::fc(x, 8), 1.0), 1);
  const loci::Variable loss = loci::mean(loci::square_error_cost(out, y));
  loci::optimizer::Adam(0.05).minimize(loss);
  loci::Executor executor;
  executor.run(startup);
  const loci::Feed feed{{"x", loci::Tensor::from<float>({0, 0, 0, 1, 1, 0, 1, 1}, {4, 2})},
                        {"y", loci::Tensor::from<float>({0, 1, 1, 0}, {4, 1})}};
  const auto step = [&] { return executor.run(program, feed, {loss})[0].item<float>(); };
  const float first = step();
  float last = first;
  for (int i = 0; i < 300; ++i) last = step();
  std::printf("loss %g -> %g\n", static_cast<double>(first), static_cast<double>(last));
  require(last < first / 20, "the loss does not fall");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2) return 2;
    loci::plugins::SearchOptions search;
    search.files = {argv[1]};
    loci::plugins::configure(search);
    check_gradient();
    train();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
