#include "framework/capture/step_memory.h"

#include "framework/device/device_manager.h"
#include "tests/framework/capture/graph_fixture.h"

namespace loci::capture {
namespace {

constexpr std::int64_t kCount = 1 << 18;
constexpr std::uint64_t kBytes = kCount * sizeof(float);

class StepMemoryTest : public GraphTest {
 protected:
  [[nodiscard]] std::uint64_t peak_of(const std::function<void()>& step) const {
    StepMemory memory(device::DeviceManager::instance().get(place()));
    const eager::TaskWatch watch(memory);
    step();
    return memory.peak_bytes();
  }
  Tensor x_ = full({kCount}, 1, kFloat32).to(place());
};
LOCI_GRAPH_PLACES(StepMemoryTest);

TEST_P(StepMemoryTest, ATensorThatTheStepLetsGoOfMakesRoom) {
  const auto chain = [&] {
    Tensor y = x_;
    for (int i = 0; i < 10; ++i) y = y + 1.0;
  };
  EXPECT_EQ(peak_of(chain), 2 * kBytes) << "an op's input and its output";
}

TEST_P(StepMemoryTest, TensorsThatAreKeptAddUp) {
  const auto keep = [&] {
    std::vector<Tensor> kept;
    for (int i = 0; i < 10; ++i) kept.push_back(x_ + 1.0);
  };
  EXPECT_EQ(peak_of(keep), 10 * kBytes);
}

TEST_P(StepMemoryTest, WhatWasThereCountsForNothing) {
  EXPECT_EQ(peak_of([&] { x_.add_(x_); }), 0U);
  EXPECT_EQ(peak_of([] {}), 0U);
}

TEST_P(StepMemoryTest, AGraphMayBeCapturedMeanwhile) {
  const auto step = [&] {
    const Tensor y = x_ + 1.0;
    Graph graph(place());
    graph.capture_begin();
    const Tensor z = x_ + 2.0;
    graph.capture_end();
    graph.replay();
  };
  EXPECT_EQ(peak_of(step), kBytes) << "which has memory of its own";
}

// Nobody knows better what a step takes than its graph.
TEST_P(StepMemoryTest, AGraphTakesAsMuchAtLeast) {
  Tensor w = full({64, 64}, 0.01, kFloat32).to(place());
  w.set_requires_grad();
  const Tensor in = full({256, 64}, 1, kFloat32).to(place());
  const auto step = [&] {
    w.set_grad({});
    reduce_sum(tanh(matmul(relu(matmul(in, w)), w))).backward();
  };
  step();
  const std::uint64_t estimated = peak_of(step);
  Graph graph(place());
  graph.capture_begin();
  step();
  graph.capture_end();
  EXPECT_GE(graph.stats().peak_bytes, estimated);
  EXPECT_GT(estimated, graph.stats().peak_bytes / 2);
}

}  // namespace
}  // namespace loci::capture
