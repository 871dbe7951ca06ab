#include "framework/capture/history_changes.h"

#include "tests/framework/capture/graph_fixture.h"

namespace loci::capture {
namespace {

using ::testing::ElementsAre;

class HistoryChangesTest : public GraphTest {
 protected:
  void SetUp() override { w_.set_requires_grad(); }
  // Returns the gradient that reaches w by a sum over x.
  std::vector<float> gradient_through(const Tensor& x) {
    w_.set_grad({});
    reduce_sum(x).backward();
    return floats(w_.grad());
  }

  Tensor w_ = vector({2, 3});
};
LOCI_GRAPH_PLACES(HistoryChangesTest);

TEST_P(HistoryChangesTest, AnAbandonedCaptureLeavesTheTapeAsItWas) {
  const Tensor recorded = w_ * vector({5, 7});
  const Tensor plain = vector({1, 1});
  {
    Graph graph(place());
    graph.capture_begin();
    recorded.add_(w_);
    plain.add_(w_);
    graph.abort();
  }
  EXPECT_THAT(gradient_through(recorded), ElementsAre(5, 7));
  EXPECT_FALSE(plain.requires_grad());
  EXPECT_THAT(floats(recorded), ElementsAre(10, 21));
}

TEST_P(HistoryChangesTest, SoDoesOneThatFails) {
  const Tensor copied = w_ * vector({5, 7});
  const Tensor filled = w_ * vector({5, 7});
  Graph graph(place());
  graph.capture_begin();
  copied.copy_(vector({1, 1}));
  filled.fill_(0);
  EXPECT_THROW(synchronize(place()), Error);
  EXPECT_THROW(graph.capture_end(), Error);
  EXPECT_THAT(gradient_through(copied), ElementsAre(5, 7));
  EXPECT_THAT(gradient_through(filled), ElementsAre(5, 7));
}

TEST_P(HistoryChangesTest, AndOneThatIsResetBeforeItsFirstReplay) {
  const Tensor x = w_ * vector({5, 7});
  Graph graph(place());
  graph.capture_begin();
  x.add_(w_);
  graph.capture_end();
  graph.reset();
  EXPECT_THAT(gradient_through(x), ElementsAre(5, 7));
}

TEST_P(HistoryChangesTest, WhatAReplayHasChangedStaysRecorded) {
  const Tensor x = w_ * vector({5, 7});
  Graph graph(place());
  graph.capture_begin();
  x.add_(w_);
  graph.capture_end();
  graph.replay();
  graph.reset();
  EXPECT_THAT(gradient_through(x), ElementsAre(6, 8));
  EXPECT_THAT(floats(x), ElementsAre(12, 24));
}

// Graphs behave as plain calls do: a change that is not recorded leaves the tape alone.
TEST_P(HistoryChangesTest, AChangeWithoutARecordKeepsNothingFromBeingUndone) {
  const Tensor x = w_ * vector({5, 7});
  {
    Graph graph(place());
    graph.capture_begin();
    x.add_(w_);
    graph.capture_end();
    const NoGrad scope;
    x.fill_(0);
  }
  EXPECT_THAT(gradient_through(x), ElementsAre(5, 7));
}

}  // namespace
}  // namespace loci::capture
