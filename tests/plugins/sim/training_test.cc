// Training gives the same bits on the software accelerator and on the CPU.
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "tests/plugins/sim/sim_program.h"

namespace loci {
namespace {

constexpr std::int64_t kBatch = 6;
constexpr int kSteps = 4;

// Convolution, normalisation, pooling, dropout, an embedding, losses, Adam.
Variable build_loss() {
  const Variable image = data("image", {-1, 1, 8, 8}, kFloat32);
  const Variable ids = data("ids", {-1}, kInt64);
  const Variable label = data("label", {-1, 1}, kInt64);
  Variable x = layers::conv2d(image, 4, 3, {}, "conv");
  x = relu(layers::batch_norm(x, {}, "norm"));
  x = layers::fc(x, 16, "hidden");
  x = elementwise_add(x, layers::embedding(ids, {20, 16}, {}, kFloat32, "table"));
  x = layers::layer_norm(dropout(x, 0.25), 1, 1e-5, "layer");
  const Variable scores = layers::fc(x, 5, "scores");
  const Variable loss = mean(softmax_with_cross_entropy(scores, label));
  optimizer::Adam(0.01).minimize(loss);
  return loss;
}

Feed batch(int step) {
  std::vector<float> pixels(kBatch * 64);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = static_cast<float>((i * 37 + static_cast<std::size_t>(step) * 11) % 97) / 97.0F;
  }
  std::vector<std::int64_t> ids(kBatch);
  std::iota(ids.begin(), ids.end(), step);
  std::vector<std::int64_t> labels(kBatch);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::int64_t>(i) % 5;
  return {{"image", Tensor::from(pixels, {kBatch, 1, 8, 8})},
          {"ids", Tensor::from(ids, {kBatch})},
          {"label", Tensor::from(labels, {kBatch, 1})}};
}

std::vector<char> bytes_of(const Tensor& tensor) {
  const Tensor host = tensor.to("cpu");
  const auto* first = static_cast<const char*>(host.raw_data());
  return {first, first + host.bytes()};
}

class SimTrainingTest : public test::SimProgramTest {
 protected:
  struct Trained {
    std::vector<std::vector<char>> losses;
    std::map<std::string, std::vector<char>> state;
  };

  Trained train(const Place& place, const CompileOptions& options, const Variable& loss) {
    const Scope scope;
    Executor executor(place, options, scope);
    executor.run(startup_);
    Trained trained;
    for (int step = 0; step < kSteps; ++step) {
      trained.losses.push_back(bytes_of(executor.run(main_, batch(step), {loss}).front()));
    }
    for (const std::string& name : scope.names()) trained.state[name] = bytes_of(scope.find(name));
    return trained;
  }
};

TEST_F(SimTrainingTest, EveryBitIsThatOfTheCpu) {
  const Variable loss = build_loss();
  for (const CompileOptions& options : {CompileOptions::none(), CompileOptions::exact()}) {
    const Trained cpu = train("cpu", options, loss);
    const Trained sim = train("sim:0", options, loss);
    EXPECT_EQ(sim.losses, cpu.losses);
    EXPECT_GT(cpu.state.size(), 20U);
    EXPECT_EQ(sim.state, cpu.state);
    EXPECT_NE(cpu.losses.front(), cpu.losses.back());
  }
}

TEST_F(SimTrainingTest, AndOnTwoDevicesAtOnce) {
  Variable loss;
  const Variable x = data("image", {-1, 1, 8, 8}, kFloat32);
  const Variable label = data("label", {-1, 1}, kInt64);
  {
    const DeviceGuard second("sim:1");
    loss = mean(softmax_with_cross_entropy(layers::fc(relu(layers::fc(x, 16)), 5), label));
  }
  loss = mean(elementwise_add(loss, mean(layers::fc(x, 3))));
  optimizer::SGD(0.1).minimize(loss);
  const auto losses_at = [&](const char* place) {
    Executor executor(place, CompileOptions::exact(), Scope());
    executor.run(startup_);
    std::vector<float> losses;
    for (int step = 0; step < kSteps; ++step) {
      Feed feed = batch(step);
      feed.erase(feed.begin() + 1);
      losses.push_back(executor.run(main_, feed, {loss}).front().item<float>());
    }
    return losses;
  };
  const std::uint64_t before = counters("sim:0").peer_bytes + counters("sim:1").peer_bytes;
  const std::vector<float> two = losses_at("sim:0");
  EXPECT_GT(counters("sim:0").peer_bytes + counters("sim:1").peer_bytes, before);
  EXPECT_EQ(two, losses_at("sim:1"));
}

}  // namespace
}  // namespace loci
