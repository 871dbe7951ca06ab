// The seed's listing, values, and what a Graph tells.
#include <stdexcept>

#include "tests/framework/capture/graph_fixture.h"

namespace loci::capture {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class GraphTestRules : public GraphTest {};
LOCI_GRAPH_PLACES(GraphTestRules);

// The seed's first listing.
TEST_P(GraphTestRules, ComputesAtReplayAlone) {
  const Tensor x = vector({1});
  Graph graph(place());
  graph.capture_begin();
  const Tensor y = x + vector({10}).detach();
  graph.capture_end();
  graph.replay();
  EXPECT_THAT(floats(y), ElementsAre(11));
  for (const float value : {2.0F, 3.0F, 4.0F}) {
    x.copy_(vector({value}));
    graph.replay();
    EXPECT_THAT(floats(y), ElementsAre(value + 10));
  }
}

TEST_P(GraphTestRules, F1_ValuesInTensorsChangeBetweenReplays) {
  const Tensor weight = vector({10});
  const Tensor gradient = vector({1});
  const Tensor rate = vector({0.5});
  Graph graph(place());
  graph.capture_begin();
  weight.sub_(gradient * rate);
  graph.capture_end();
  graph.replay();
  rate.fill_(2);
  graph.replay();
  EXPECT_THAT(floats(weight), ElementsAre(7.5));
}

TEST_P(GraphTestRules, GivesFigures) {
  const Tensor x = vector({1, 2, 3});
  Graph graph(place());
  graph.capture_begin();
  const Tensor y = x + x;
  const Tensor z = y * x;
  x.copy_(z);
  graph.capture_end();
  graph.replay();
  graph.replay();
  const GraphStats stats = graph.stats();
  EXPECT_EQ(stats.launches, 2U);
  EXPECT_EQ(stats.copies, 1U);
  EXPECT_EQ(stats.inputs, 1U);
  EXPECT_EQ(stats.outputs, 2U);
  EXPECT_EQ(stats.replays, 2U);
  EXPECT_GT(stats.peak_bytes, 0U);
  EXPECT_GT(stats.capture_ns, 0U);
}

TEST_P(GraphTestRules, WhatOnlyTheHostReadsIsNoInput) {
  const Tensor x = vector({1, 2});
  const Tensor factor = Tensor::from<float>({3}, {1});
  Graph graph(place());
  graph.capture_begin();
  const Tensor y = x * static_cast<double>(factor.item<float>());
  graph.capture_end();
  EXPECT_EQ(graph.stats().inputs, 1U);
  factor.fill_(4);
  EXPECT_THROW(graph.replay(), Error) << "it is watched nevertheless";
}

TEST_P(GraphTestRules, A6_AFailingBodyLeavesNothing) {
  const Tensor x = vector({1, 2});
  for (const CaptureMode mode :
       {CaptureMode::kGlobal, CaptureMode::kThreadLocal, CaptureMode::kRelaxed}) {
    Graph graph(place(), mode);
    try {
      CaptureScope capture(graph);
      const Tensor y = x + x;
      throw std::runtime_error("the body fails");
    } catch (const std::runtime_error&) {
    }
    EXPECT_FALSE(graph.is_capturing());
    EXPECT_EQ(graph.pool().bytes_in_use(), 0U);
    EXPECT_THAT(floats(x + x), ElementsAre(2, 4));
    synchronize(place());
    const std::uint64_t before = memory_use(place()).in_use;
    {
      const Tensor more = x * x;
      EXPECT_GT(memory_use(place()).in_use, before);
    }
    Tensor y;
    {
      CaptureScope capture(graph);
      y = x * x;
      capture.end();
    }
    graph.replay();
    EXPECT_THAT(floats(y), ElementsAre(1, 4));
  }
}

TEST_P(GraphTestRules, ReadingBeforeTheFirstReplayWarns) {
  const Tensor x = vector({1});
  Graph graph(place());
  graph.capture_begin();
  const Tensor y = x + x;
  graph.capture_end();
  EXPECT_THAT([&] { (void)floats(y * y); }, ThrowsMessage<Error>(HasSubstr("not been replayed")))
      << "nothing is computed from it";
  testing::internal::CaptureStderr();
  EXPECT_NO_THROW((void)floats(y));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("before the first replay"));
  testing::internal::CaptureStderr();
  EXPECT_NO_THROW((void)floats(y));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), ::testing::IsEmpty()) << "it is told once";
  graph.replay();
  EXPECT_THAT(floats(y * y), ElementsAre(4));
}

TEST_P(GraphTestRules, NothingIsComputedFromWhatWasReadBeforeTheFirstReplay) {
  const Tensor x = vector({1});
  Graph graph(place());
  graph.capture_begin();
  const Tensor y = x + x;
  graph.capture_end();
  (void)floats(y);
  const auto refused = ThrowsMessage<Error>(HasSubstr("not been replayed"));
  EXPECT_THAT([&] { (void)floats(y * y); }, refused);
  EXPECT_THAT([&] { (void)floats(y.reshaped({1, 1}) * 2.0); }, refused);
  EXPECT_THAT(
      [&] {
        const Tensor copy = vector({0});
        copy.copy_(y);
        (void)floats(copy);
      },
      refused);
  EXPECT_THAT([&] { (void)floats(y.to("sim:1")); }, refused);
  EXPECT_THAT(
      [&] {
        Graph second(place());
        second.capture_begin();
        const Tensor z = y + 1.0;
        second.capture_end();
        second.replay();
      },
      refused);
  Program main;
  Program startup;
  Variable sum;
  {
    const ProgramGuard building(main, startup);
    const Variable fed = data("fed", {1}, kFloat32);
    sum = fed + fed;
  }
  Executor executor(place(), CompileOptions(), Scope());
  EXPECT_THAT([&] { (void)executor.run(main, {{"fed", y}}, {sum}); }, refused);
  y.fill_(3);
  EXPECT_THAT(floats(y * y), ElementsAre(9)) << "it has been written as a whole";
  graph.replay();
  EXPECT_THAT(floats(y), ElementsAre(2));
}

}  // namespace
}  // namespace loci::capture
