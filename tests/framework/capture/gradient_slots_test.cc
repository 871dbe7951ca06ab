#include "framework/capture/gradient_slots.h"

#include <loci/captured_function.hpp>

#include "tests/framework/capture/graph_fixture.h"

namespace loci::capture {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Tensors = std::vector<Tensor>;

class GradientSlotsTest : public GraphTest {
 protected:
  void SetUp() override {
    w_.set_requires_grad();
    w_.set_name("w");
  }
  void step() { reduce_sum(w_ * x_).backward(); }
  void capture(Graph& graph) {
    graph.capture_begin();
    step();
    graph.capture_end();
  }

  Tensor w_ = vector({2, 3});
  Tensor x_ = vector({1, 10});
};
LOCI_GRAPH_PLACES(GradientSlotsTest);

TEST_P(GradientSlotsTest, EachReplayAddsToAGradientOfBefore) {
  step();
  synchronize(place());  // work under way has the gradient too
  Graph graph(place());
  capture(graph);
  EXPECT_THAT(floats(w_.grad()), ElementsAre(1, 10)) << "nothing has run";
  graph.replay();
  graph.replay();
  EXPECT_THAT(floats(w_.grad()), ElementsAre(3, 30));
}

TEST_P(GradientSlotsTest, AReplayIsWhatWasCapturedOrRefused) {
  Graph graph(place());
  capture(graph);
  graph.replay();
  EXPECT_THAT(floats(w_.grad()), ElementsAre(1, 10));
  EXPECT_THAT([&] { graph.replay(); },
              ThrowsMessage<Error>(AllOf(HasSubstr("'w' [2] had no gradient as graph"),
                                         HasSubstr("clear it by set_grad({})"))));
  EXPECT_THAT(floats(w_.grad()), ElementsAre(1, 10));
  w_.set_grad({});
  x_.copy_(vector({2, 20}));
  graph.replay();
  EXPECT_THAT(floats(w_.grad()), ElementsAre(2, 20)) << "the tensor has it again";
  w_.set_grad(vector({1, 1}));
  EXPECT_THAT([&] { graph.replay(); }, ThrowsMessage<Error>(HasSubstr("had no gradient")));
}

TEST_P(GradientSlotsTest, AHookThatCameLaterIsSeen) {
  Graph graph(place());
  capture(graph);
  graph.replay();
  w_.set_grad({});
  w_.register_hook([](const Tensor& gradient) { return gradient * 2.0; });
  EXPECT_THAT([&] { graph.replay(); },
              ThrowsMessage<Error>(HasSubstr("was captured before set_requires_grad() or "
                                             "register_hook() of 'w'")));
}

TEST_P(GradientSlotsTest, WhatIsNeverReplayedLeavesTheGradient) {
  w_.set_grad(vector({7, 8}));
  {
    Graph graph(place());
    graph.capture_begin();
    w_.set_grad({});
    step();
    graph.abort();
  }
  EXPECT_THAT(floats(w_.grad()), ElementsAre(7, 8));
  Graph graph(place());
  graph.capture_begin();
  w_.set_grad({});
  step();
  graph.capture_end();
  graph.reset();
  EXPECT_THAT(floats(w_.grad()), ElementsAre(7, 8));
}

TEST_P(GradientSlotsTest, AGradientThatOthersHaveIsNotChanged) {
  step();
  const Tensor kept = w_.grad();
  Graph graph(place());
  graph.capture_begin();
  EXPECT_THAT(
      [&] { step(); },
      ThrowsMessage<Error>(AllOf(HasSubstr("[capture] each replay would add to the gradient that"),
                                 HasSubstr("others have that gradient too"))));
  graph.abort();
  EXPECT_THAT(floats(kept), ElementsAre(1, 10));
}

TEST_P(GradientSlotsTest, RowsOfBeforeAreRefused) {
  const Tensor table = Tensor::from<float>({1, 2, 3, 4}, {2, 2}).to(place());
  table.set_requires_grad();
  const Tensor ids = Tensor::from<std::int64_t>({1}, {1}).to(place());
  const auto look_up = [&] { reduce_sum(embedding(table, ids)).backward(); };
  look_up();
  Graph graph(place());
  graph.capture_begin();
  EXPECT_THAT(look_up, ThrowsMessage<Error>(HasSubstr("it consists of rows")));
  graph.abort();
}

TEST_P(GradientSlotsTest, AHookIsNotRegisteredByReplays) {
  Graph graph(place());
  graph.capture_begin();
  EXPECT_THAT([&] { w_.register_hook([](const Tensor&) { return Tensor(); }); },
              ThrowsMessage<Error>(HasSubstr("[capture] register_hook() of 'w'")));
  graph.abort();
}

TEST_P(GradientSlotsTest, EveryFormLeavesItsOwn) {
  CaptureOptions options;
  options.place = place();
  const CapturedFunction function(
      [&](const Tensors& in) {
        w_.set_grad({});
        const Tensor loss = reduce_sum(w_ * reduce_sum(in[0]));
        loss.backward();
        return Tensors{loss.detach()};
      },
      options);
  for (int i = 0; i < 4; ++i) {
    const float value = static_cast<float>(i + 1);
    function({vector({value})});
    EXPECT_THAT(floats(w_.grad()), ElementsAre(value, value));
    function({vector({value, value})});
    EXPECT_THAT(floats(w_.grad()), ElementsAre(2 * value, 2 * value));
  }
}

}  // namespace
}  // namespace loci::capture
