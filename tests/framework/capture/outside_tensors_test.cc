#include "framework/capture/outside_tensors.h"

#include <optional>
#include <thread>

#include "framework/core/log.h"
#include "tests/framework/capture/graph_fixture.h"

namespace loci::capture {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class OutsideTensorsTest : public GraphTest {};
LOCI_GRAPH_PLACES(OutsideTensorsTest);

TEST_P(OutsideTensorsTest, D7_AFreedInputIsRefusedByName) {
  Tensor x = vector({1}).set_name("image");
  Graph graph(place());
  graph.capture_begin();
  const Tensor y = relu(x);
  graph.capture_end();
  graph.replay();
  EXPECT_THAT(floats(y), ElementsAre(1));
  synchronize();  // work under way has it, too
  x = vector({2});
  EXPECT_THAT([&] { graph.replay(); },
              ThrowsMessage<Error>(AllOf(HasSubstr("'image'"), HasSubstr("[relu]"),
                                         HasSubstr("freed after the capture"))));
  EXPECT_EQ(graph.stats().replays, 1U);
}

TEST_P(OutsideTensorsTest, D7_TheThreadOnWhichAnInputEndedIsSaid) {
  Tensor x = vector({1}).set_name("image");
  Graph graph(place());
  graph.capture_begin();
  const Tensor y = relu(x);
  graph.capture_end();
  graph.replay();
  graph.replay();
  synchronize();  // work under way has it, too
  std::uint32_t thread = 0;
  std::thread([&] {
    x = Tensor();
    thread = core::thread_number();
  }).join();
  EXPECT_THAT(
      [&] { graph.replay(); },
      ThrowsMessage<Error>(HasSubstr("freed after the capture (after replay 2, on thread t" +
                                     std::to_string(thread) + " where its last handle ended")));
}

TEST_P(OutsideTensorsTest, D7_TheCallThatLetGoOfAnInputIsNamed) {
  Scope scope;
  scope.set("x", vector({1, 2}));
  Tensor w = vector({1, 1});
  w.set_requires_grad();
  w.set_grad(vector({3, 4}));
  synchronize();
  Graph of_scope(place());
  of_scope.capture_begin();
  const Tensor y = relu(scope.find("x"));
  of_scope.capture_end();
  Graph of_gradient(place());
  of_gradient.capture_begin();
  const Tensor z = relu(w.grad());
  of_gradient.capture_end();
  scope.set("x", vector({1, 2, 3}));
  EXPECT_THAT([&] { of_scope.replay(); },
              ThrowsMessage<Error>(HasSubstr("(on this thread by Scope::set())")));
  optimizer::SGD(0.1).zero_grad({w});
  EXPECT_THAT([&] { of_gradient.replay(); },
              ThrowsMessage<Error>(HasSubstr("(on this thread by Optimizer::zero_grad())")));
}

// Its copies to the other place have the parameters for longer.
TEST_F(CaptureTest, D7_AModuleThatMovesIsNamed) {
  const NoGrad scope;  // whose tape would keep them
  nn::Linear layer(2, 1);
  const Tensor x = Tensor::from<float>({1, 2}, {1, 2});
  Graph graph("cpu");
  graph.capture_begin();
  const Tensor y = layer(x);
  graph.capture_end();
  layer.to("sim:0");
  synchronize();
  EXPECT_THAT([&] { graph.replay(); }, ThrowsMessage<Error>(HasSubstr("by Module::to()")));
}

TEST_P(OutsideTensorsTest, D7_AViewKeepsAnInput) {
  Tensor x = vector({1, 2, 3, 4});
  const Tensor view = x.reshaped({2, 2});
  Graph graph(place());
  graph.capture_begin();
  const Tensor y = x + x;
  graph.capture_end();
  x = Tensor();
  view.fill_(3);
  graph.replay();
  EXPECT_THAT(floats(y), ElementsAre(6, 6, 6, 6));
}

TEST_P(OutsideTensorsTest, D8_CopiesFromTheHostReadWhatIsThereNow) {
  Tensor staging = Tensor::from<float>({1, 2}, {2});
  const Tensor x = vector({0, 0});
  Graph graph(place());
  graph.capture_begin();
  x.copy_(staging);
  graph.capture_end();
  staging.fill_(7);
  graph.replay();
  EXPECT_THAT(floats(x), ElementsAre(7, 7));
  staging = Tensor();
  EXPECT_THAT([&] { graph.replay(); }, ThrowsMessage<Error>(HasSubstr("freed after the capture")));
}

// "cpu" alone: a device would have to be waited for.
TEST_F(CaptureTest, C7_WhatTheHostReadWithinACaptureHasToStay) {
  const Tensor flag = Tensor::from<float>({1}, {1});
  const Tensor x = Tensor::from<float>({2}, {1});
  Graph graph("cpu");
  graph.capture_begin();
  const Tensor y = flag.item<float>() > 0 ? x * 2.0 : x - 1.0;
  graph.capture_end();
  graph.replay();
  EXPECT_THAT(floats(y), ElementsAre(4));
  flag.fill_(-1);
  EXPECT_THAT(
      [&] { graph.replay(); },
      ThrowsMessage<Error>(AllOf(HasSubstr("[item()] of '' float32[1] on the host"),
                                 HasSubstr("has changed since"), HasSubstr("capture again"))));
}

TEST_F(CaptureTest, C7_WhatTheHostReadMustNotBeReplaced) {
  Tensor flag = Tensor::from<float>({1}, {1});
  const Tensor x = Tensor::from<float>({2}, {1});
  Graph graph("cpu");
  graph.capture_begin();
  const Tensor y = flag.item<float>() > 0 ? x * 2.0 : x - 1.0;
  graph.capture_end();
  flag = Tensor::from<float>({-1}, {1});
  EXPECT_THAT([&] { graph.replay(); },
              ThrowsMessage<Error>(HasSubstr("another one may have taken its place")));
}

TEST_F(CaptureTest, C7_WhatTheGraphChangesIsNotReadOnTheHost) {
  const Tensor x = Tensor::from<float>({2}, {1});
  Graph graph("cpu");
  graph.capture_begin();
  x.add_(x);
  EXPECT_THAT([&] { (void)x.item<float>(); },
              ThrowsMessage<Error>(AllOf(HasSubstr("[item()]"), HasSubstr("which writes it"))));
  EXPECT_THAT([&] { graph.capture_end(); }, ThrowsMessage<Error>(HasSubstr("which writes it")));
  EXPECT_THAT(floats(x), ElementsAre(2));
}

TEST_P(OutsideTensorsTest, WhatTheStepMakesOfTheHostsIsAConstant) {
  const Tensor x = vector({2});
  Graph graph(place());
  graph.capture_begin();
  const Tensor factor = Tensor::from<float>({3}, {1});
  const Tensor y = x * static_cast<double>(factor.item<float>());
  graph.capture_end();
  graph.replay();
  graph.replay();
  EXPECT_THAT(floats(y), ElementsAre(6));
}

TEST_P(OutsideTensorsTest, WhatNobodyHadAtTheEndIsAConstant) {
  const Tensor x = vector({1, 2});
  Tensor y;
  Graph graph(place());
  graph.capture_begin();
  {
    const Tensor offset = vector({10, 20});
    y = x + offset;
  }
  graph.capture_end();
  graph.replay();
  EXPECT_THAT(floats(y), ElementsAre(11, 22));
  graph.replay();
  EXPECT_THAT(floats(y), ElementsAre(11, 22));
}

// A tape's reference to an input does not hide that the user has freed it.
TEST_P(OutsideTensorsTest, ATapeKeepsNoInput) {
  Tensor x = vector({1, 2}).set_name("image");
  const Tensor w = vector({3, 4});
  w.set_requires_grad();
  Graph graph(place());
  graph.capture_begin();
  const Tensor y = x * w;
  graph.capture_end();
  graph.replay();
  EXPECT_THAT(floats(y), ElementsAre(3, 8));
  x = vector({5, 6});
  EXPECT_THAT([&] { graph.replay(); }, ThrowsMessage<Error>(HasSubstr("'image'")));
}

// An output of another graph that nobody makes any more.
TEST_P(OutsideTensorsTest, OutputsOfResetGraphsAreFreed) {
  const Tensor x = vector({1, 2});
  Graph first(place());
  first.capture_begin();
  Tensor y = (x + x).set_name("y");
  first.capture_end();
  first.replay();
  Graph second(place());
  second.capture_begin();
  const Tensor z = relu(y);
  second.capture_end();
  second.replay();
  EXPECT_THAT(floats(z), ElementsAre(2, 4));
  first.reset();
  y = Tensor();
  synchronize();  // work that is under way has them, too
  EXPECT_THAT([&] { second.replay(); }, ThrowsMessage<Error>(HasSubstr("'y'")));
}

TEST_P(OutsideTensorsTest, WhatHasFailedIsRefused) {
  const Tensor x = vector({1, 2}).set_name("x");
  Graph graph(place());
  graph.capture_begin();
  const Tensor y = relu(x);
  graph.capture_end();
  (void)floats(x);  // nothing is under way
  x.impl()->storage()->uses.fail(device::failure_of(Error(ErrorCode::kFailed, "it was planted")));
  EXPECT_THAT([&] { graph.replay(); },
              ThrowsMessage<Error>(AllOf(HasSubstr("'x'"), HasSubstr("it was planted"))));
  x.impl()->storage()->uses.clear_failure();
  EXPECT_NO_THROW(graph.replay());
}

// CUDA allows this: a graph may be captured of another one's results, computed or not.
TEST_P(OutsideTensorsTest, GraphsFollowEachOtherBeforeTheFirstReplay) {
  const Tensor x = vector({1, 2});
  Graph first(place());
  first.capture_begin();
  const Tensor y = (x * 2.0).set_name("half way");
  first.capture_end();
  Graph second(place());
  second.capture_begin();
  const Tensor z = y + 1.0;
  const Tensor same = assign(y);
  second.capture_end();
  EXPECT_THAT([&] { second.replay(); },
              ThrowsMessage<Error>(
                  AllOf(HasSubstr("'half way' float32[2] at " + place().to_string()),
                        HasSubstr("it is computed by graph "),
                        HasSubstr("which has not been replayed"), HasSubstr("replay it first"))));
  for (int i = 1; i < 4; ++i) {
    x.fill_(i);
    first.replay();
    second.replay();
    EXPECT_THAT(floats(z), ElementsAre(2 * i + 1, 2 * i + 1));
    EXPECT_THAT(floats(same), ElementsAre(2 * i, 2 * i));
  }
}

TEST_P(OutsideTensorsTest, WhatAnotherCaptureHasBegunIsRefused) {
  const Tensor x = vector({1, 2});
  Graph first(place(), CaptureMode::kRelaxed);
  const Stream stream(place());
  std::optional<StreamGuard> guard(stream);
  first.capture_begin();
  const Tensor y = (x * 2.0).set_name("half way");
  guard.reset();
  Graph second(place(), CaptureMode::kRelaxed);
  second.capture_begin();
  EXPECT_THAT([&] { relu(y); },
              ThrowsMessage<Error>(AllOf(HasSubstr("[relu] in the capture of graph "),
                                         HasSubstr("reads 'half way' float32[2] at "),
                                         HasSubstr("end its capture, and replay it first"))));
  second.abort();
  first.capture_end();
  first.replay();
  EXPECT_THAT(floats(y), ElementsAre(2, 4));
}

TEST_P(OutsideTensorsTest, ChangesAreCounted) {
  const Tensor x = vector({1, 2});
  const Tensor y = vector({0, 0});
  Graph graph(place());
  graph.capture_begin();
  y.copy_(x);
  graph.capture_end();
  const std::uint64_t of_x = x.version();
  const std::uint64_t of_y = y.version();
  graph.replay();
  EXPECT_EQ(x.version(), of_x);
  EXPECT_EQ(y.version(), of_y + 1);
}

}  // namespace
}  // namespace loci::capture
