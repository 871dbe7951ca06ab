#include "framework/execution/frame_capture.h"

#include <loci/inspect.hpp>

#include "tests/framework/capture/native_fixture.h"

namespace loci::execution {
namespace {

using capture::in_native_context;
using capture::on_sim;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// y = relu(x + x) * x, fed on the device.
struct Doubling {
  explicit Doubling(GraphCapture capture) : executor("sim:0", options_of(capture), Scope()) {
    const ProgramGuard building(main, startup);
    const Variable x = data("x", {-1}, kFloat32);
    y = relu(x + x) * x;
  }
  static CompileOptions options_of(GraphCapture capture) {
    CompileOptions options;
    options.capture = capture;
    options.disabled_passes = {"elementwise_fusion"};  // of one launch no graph is made
    return options;
  }
  std::vector<float> run(const Tensor& x) {
    return executor.run(main, {{"x", x}}, {y})[0].to_vector<float>();
  }
  inspect::PlanCapture told(const Tensor& x) {
    return inspect::capture(executor, main, {{"x", x}}, {y});
  }
  std::uint64_t frame_bytes() { return inspect::caches(executor).frame_bytes; }

  Program main;
  Program startup;
  Variable y;
  Executor executor;
};

TEST(FrameCaptureTest, TheFirstRunIsPlainAndTheSecondCaptures) {
  in_native_context({}, [] {
    Doubling model(GraphCapture::kAuto);
    const Tensor x = on_sim({3, -1});
    const std::vector<std::pair<std::uint64_t, std::uint64_t>> counts{{0, 0}, {1, 1}, {1, 2}};
    for (const auto& [captures, replays] : counts) {
      EXPECT_THAT(model.run(x), ElementsAre(18, 0));
      EXPECT_EQ(model.told(x).captures, captures);
      EXPECT_EQ(model.told(x).replays, replays);
    }
  });
}

// In the plans' memory: graphs, and what is copied around them since their addresses changed.
TEST(FrameCaptureTest, WhatAGraphTakesCounts) {
  in_native_context({{"SIM_GRAPH_NO_PATCH", "1"}}, [] {
    Doubling model(GraphCapture::kAuto);
    std::vector<Tensor> kept;
    const auto run = [&] { model.run(kept.emplace_back(on_sim(std::vector<float>(1024, 1)))); };
    run();
    const std::uint64_t plain = model.frame_bytes();
    run();
    const std::uint64_t captured = model.frame_bytes();
    EXPECT_EQ(captured - plain, model.told(kept[0]).bytes);
    EXPECT_GT(captured, plain);
    run();
    EXPECT_GE(model.frame_bytes() - captured, 4096U) << "the fed tensor is staged";
    EXPECT_EQ(model.frame_bytes() - plain, model.told(kept[0]).bytes);
  });
}

// Plans go by the bytes of their graphs, too: many shapes do not add up.
TEST(FrameCaptureTest, ManyShapesKeepToTheLimit) {
  in_native_context({{"PLAN_CACHE", "300000"}}, [] {
    Doubling model(GraphCapture::kAuto);
    for (int extent = 1; extent <= 200; ++extent) {
      const Tensor x = on_sim(std::vector<float>(static_cast<std::size_t>(extent), 2));
      for (int i = 0; i < 2; ++i) EXPECT_EQ(model.run(x)[0], 8);
    }
    const inspect::Caches caches = inspect::caches(model.executor);
    EXPECT_LE(caches.plan_bytes + caches.frame_bytes, 300000U);
    EXPECT_LT(caches.plans, 150U);
  });
}

TEST(FrameCaptureTest, AGraphThatCannotFollowIsCapturedAnewByTheNextRun) {
  in_native_context({{"SIM_GRAPH_NO_PATCH", "1"}, {"SIM_GRAPH_FAIL_END", "2"}}, [] {
    Doubling model(GraphCapture::kAuto);
    const Tensor first = on_sim({3});
    const Tensor second = on_sim({5});
    for (int i = 0; i < 2; ++i) EXPECT_THAT(model.run(first), ElementsAre(18));
    EXPECT_THAT([&] { model.run(second); },
                ::testing::ThrowsMessage<Error>(HasSubstr("ending a graph")));
    for (int i = 0; i < 3; ++i) EXPECT_THAT(model.run(second), ElementsAre(50));
    EXPECT_EQ(model.told(second).captures, 2U);
  });
}

}  // namespace
}  // namespace loci::execution
