// Programs whose graphs fork and join, on the double, which finds what no edge orders.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <loci/inspect.hpp>
#include <loci/loci.hpp>
#include <string>
#include <vector>

#include "tests/plugins/cuda_graph/counts_driver_calls.h"

namespace loci::test {
namespace {

using ::testing::Contains;
using ::testing::Key;
using ::testing::Not;

constexpr int kSteps = 5;

std::uint64_t most_branches(const inspect::PlanCapture& told) {
  std::uint64_t most = 0;
  for (const inspect::CapturedPart& part : told.parts) most = std::max(most, part.branches);
  return most;
}

class CudaGraphForksTest : public CountsDriverCalls {
 protected:
  // Self-attention of eight tokens over a product of three heads, each long enough to be worth a
  // branch.
  void build(bool is_trained) {
    seed(3);
    const ProgramGuard building(main_, startup_);
    const Variable x = data("x", {8, 16}, kFloat32);
    std::vector<Variable> heads;
    for (int i = 0; i < 3; ++i) heads.push_back(head(x));
    const Variable weights = softmax(matmul(heads[0], transpose(heads[1], {1, 0})));
    y_ = mean(square(matmul(weights, heads[2])));
    if (is_trained) optimizer::Adam(0.05).minimize(y_);
  }
  // Two heads, a loop of some rounds over one of them, and heads of both.
  void build_loop() {
    seed(3);
    const ProgramGuard building(main_, startup_);
    const Variable limit = fill_constant({1}, 2000.0F);
    const Variable x = data("x", {8, 16}, kFloat32);
    const Variable first = head(x);
    const Variable second = head(x);
    const auto last = while_loop(
        [&](const std::vector<Variable>& v) { return less_than(reduce_sum(v[0]), limit); },
        [](const std::vector<Variable>& v) { return std::vector<Variable>{v[0] + v[0]}; },
        {exp(first)});
    const Variable third = head(last[0]);
    y_ = mean(square(third - head(second)));
  }
  static Variable head(Variable x) {
    for (int layer = 0; layer < 3; ++layer) x = tanh(layers::fc(x, 16));
    return x;
  }
  static CompileOptions options(GraphCapture capture, int streams) {
    CompileOptions options = CompileOptions::exact();
    options.capture = capture;
    options.streams = streams;
    return options;
  }
  struct Outcome {
    std::vector<float> values;
    inspect::PlanCapture told;
  };
  // Fed and fetched there, at other addresses each time.
  Outcome run(const CompileOptions& options) {
    seed(3);
    Executor executor("cuda:0", options, Scope());
    executor.run(startup_);
    Outcome outcome;
    for (int step = 0; step < kSteps; ++step) {
      std::vector<float> elements(8 * 16);
      for (std::size_t i = 0; i < elements.size(); ++i) {
        elements[i] = static_cast<float>((i * 7 + static_cast<std::size_t>(step)) % 11) * 0.1F;
      }
      kept_.push_back(Tensor::from(elements, {8, 16}).to("cuda:0"));
      const Feed feed{{"x", kept_.back()}};
      const std::vector<Fetch> fetch{Fetch(y_).at("cuda:0")};
      kept_.push_back(executor.run(main_, feed, fetch)[0]);
      outcome.values.push_back(kept_.back().item<float>());
      outcome.told = inspect::capture(executor, main_, feed, fetch);
    }
    return outcome;
  }

  Program main_;
  Program startup_;
  Variable y_;
  std::vector<Tensor> kept_;
};

TEST_F(CudaGraphForksTest, InferenceIsThatOfAChainToTheBit) {
  build(/*is_trained=*/false);
  const Outcome plain = run(options(GraphCapture::kOff, 1));
  const Outcome chain = run(options(GraphCapture::kAuto, 1));
  const Outcome forked = run(options(GraphCapture::kAuto, 4));
  EXPECT_EQ(most_branches(chain.told), 1U);
  EXPECT_GE(most_branches(forked.told), 3U);
  EXPECT_EQ(chain.values, plain.values);
  EXPECT_EQ(forked.values, plain.values);
}

TEST_F(CudaGraphForksTest, TrainingIsThatOfAChainToTheBit) {
  build(/*is_trained=*/true);
  const Outcome plain = run(options(GraphCapture::kOff, 1));
  const Outcome forked = run(options(GraphCapture::kAuto, 4));
  EXPECT_GE(most_branches(forked.told), 3U);
  EXPECT_EQ(forked.values, plain.values);
}

TEST_F(CudaGraphForksTest, ALoopJoinsAllAndMoreForksFollow) {
  build_loop();
  const Outcome plain = run(options(GraphCapture::kOff, 1));
  const Outcome forked = run(options(GraphCapture::kAuto, 4));
  const auto native = std::count_if(forked.told.parts.begin(), forked.told.parts.end(),
                                    [](const auto& part) { return part.is_native; });
  EXPECT_EQ(native, 1) << "the loop is of the graph";
  EXPECT_GE(most_branches(forked.told), 2U);
  EXPECT_EQ(forked.values, plain.values);
}

// Recorded once more, because products are a library's, and never from then on.
TEST_F(CudaGraphForksTest, WhatIsBoundElsewhereIsFollowed) {
  build(/*is_trained=*/false);
  const Outcome chain = run(options(GraphCapture::kAuto, 1));
  const Outcome forked = run(options(GraphCapture::kAuto, 4));
  EXPECT_EQ(forked.told.recaptures, chain.told.recaptures);
  EXPECT_EQ(forked.told.reinstantiations, 0U);
}

// One that is not bound elsewhere is one launch.
TEST_F(CudaGraphForksTest, AReplayIsOneLaunch) {
  build(/*is_trained=*/false);
  Executor executor("cuda:0", options(GraphCapture::kAuto, 4), Scope());
  executor.run(startup_);
  const Feed feed{{"x", there(std::vector<float>(8 * 16, 0.5F)).reshaped({8, 16})}};
  for (int i = 0; i < 3; ++i) executor.run(main_, feed, {y_});
  const auto calls = DriverCalls::of([&] { executor.run(main_, feed, {y_}); });
  EXPECT_THAT(calls, Contains(Key("cuGraphLaunch")));
  EXPECT_THAT(calls, Not(Contains(Key("cuLaunchKernelEx"))));
}

}  // namespace
}  // namespace loci::test
