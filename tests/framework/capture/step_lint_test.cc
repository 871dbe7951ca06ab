#include "framework/capture/step_lint.h"

#include <ostream>
#include <stdexcept>
#include <thread>

#include "tests/framework/capture/graph_fixture.h"

namespace loci::inspect {
void PrintTo(const CaptureProblem& problem, std::ostream* out) { *out << to_string({problem}); }
}  // namespace loci::inspect

namespace loci::capture {
namespace {

using inspect::CaptureProblem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

auto problem(const char* op, const char* reason) {
  return AllOf(Field(&CaptureProblem::op, HasSubstr(op)),
               Field(&CaptureProblem::reason, HasSubstr(reason)),
               Field(&CaptureProblem::remedy, ::testing::Not(IsEmpty())));
}

class StepLintTest : public GraphTest {
 protected:
  std::vector<CaptureProblem> problems(const std::function<void()>& step) const {
    return inspect::capture_problems(step, place());
  }
  Tensor x_ = vector({1, 2, 3});
};

TEST_P(StepLintTest, AStepThatCanBeCapturedHasNoneAndRuns) {
  Tensor w = vector({1, 1, 1});
  w.set_requires_grad(true);
  Tensor drawn;
  const auto step = [&] {
    const Tensor loss = reduce_sum(relu(x_ * w));
    loss.backward();
    const NoGrad none;
    w.sub_(w.grad() * 0.5);
    drawn = dropout(x_, 0.5);
  };
  EXPECT_THAT(problems(step), IsEmpty());
  EXPECT_EQ(floats(w), (std::vector<float>{0.5F, 0, -0.5F}));
  Graph graph(place());
  const CaptureScope captures(graph);
  step();
}

TEST_P(StepLintTest, TellsAllThatTheHostReadsAndWaitsFor) {
  const auto step = [&] {
    const Tensor sum = reduce_sum(x_);
    for (int i = 0; i < 3; ++i) {
      if (sum.item<float>() > 0) synchronize();  // told once
    }
    Stream::current(place()).synchronize();
    (void)x_.to_vector<float>();  // may change, and replays would not know
    (void)Tensor::from(std::vector<float>{1}, {1}).item<float>();  // is made anew, as it was
  };
  EXPECT_THAT(problems(step),
              ElementsAre(problem("[item()] of ", "what [reduce_sum] computes is read on the host"),
                          problem("[capture] the step", "synchronize() waits for all devices"),
                          problem("[capture] the step", "Stream::synchronize() waits"),
                          problem("to_vector()", "replays would go on with what it was")));
}

TEST_P(StepLintTest, WhatDecidesIsOneWhereverItComesFrom) {
  const Tensor chooses = Tensor::from(std::vector<float>{1}, {1});
  const auto step = [&] {
    (void)cond(
        chooses > chooses * 0.5, [&] { return x_ + 1.0; }, [&] { return x_; });
  };
  EXPECT_THAT(problems(step), ::testing::Contains(problem("[case]", "is read on the host")));
}

TEST_P(StepLintTest, ReplaysAndCapturesWithinAreOnes) {
  Graph inner(place());
  inner.capture_begin();
  const Tensor y = x_ + 1.0;
  inner.capture_end();
  EXPECT_THAT(problems([&] { inner.replay(); }),
              ElementsAre(problem("graph", "cannot have the replay of another one")));
  Graph another(place());
  EXPECT_THAT([&] { (void)problems([&] { another.capture_begin(); }); },
              ThrowsMessage<Error>(HasSubstr("capture_begin() within a step that")));
  EXPECT_THAT([&] { (void)problems([&] { (void)problems([] {}); }); },
              ThrowsMessage<Error>(HasSubstr("or another such look")));
}

TEST_P(StepLintTest, EventsFromOutsideAreOnes) {
  Event before;
  before.record(Stream::current(place()));
  const Stream side(place());
  const auto step = [&] {
    Event own;
    own.record(Stream::current(place()));  // at the same point as the other one
    const Tensor y = x_ + 1.0;
    before.wait(Stream::current(place()));
    Event beside;
    beside.record(side);
    beside.wait(Stream::current(place()));  // told once
    before.wait(side);                      // which is none of the graph's
  };
  EXPECT_THAT(problems(step), ElementsAre(problem("[capture] stream 0, whose last work is scale",
                                                  "recorded outside of the capture")));
}

TEST_P(StepLintTest, StreamsThatAreNotJoinedAreOnes) {
  const Stream side(place());
  const Stream idle(place());
  const auto fork = [&] {
    Event forked;
    forked.record(Stream::current(place()));
    forked.wait(side);
    const StreamGuard guard(side);
    return relu(x_);
  };
  const auto join = [&] {
    Event joined;
    joined.record(side);
    std::vector<Event> kept{joined};  // a copy means the same point
    kept[0].wait(Stream::current(place()));
  };
  const auto not_joined = problem("[capture] stream 1, whose last work is relu", "not joined");
  EXPECT_THAT(problems([&] { (void)fork(); }), ElementsAre(not_joined));
  const auto works_on = [&] {
    (void)fork();
    join();
    const StreamGuard guard(side);
    (void)relu(x_);
  };
  EXPECT_THAT(problems(works_on), ElementsAre(not_joined));
  const auto joins = [&] {
    const Tensor y = fork();
    join();
    (void)(y + x_);
  };
  EXPECT_THAT(problems(joins), IsEmpty());
  const auto only_waits = [&] {
    Event forked;
    forked.record(Stream::current(place()));
    forked.wait(idle);
  };
  EXPECT_THAT(problems(only_waits), ElementsAre(problem("with which it was forked", "not joined")));
}

TEST_P(StepLintTest, EventsOfAnotherLookAreForeign) {
  Event kept;
  EXPECT_THAT(problems([&] { kept.record(Stream::current(place())); }), IsEmpty());
  EXPECT_THAT(problems([&] { kept.wait(Stream::current(place())); }),
              ElementsAre(problem("[capture] stream 0", "recorded outside of the capture")));
}

TEST_P(StepLintTest, NothingIsLookedAtAfterwards) {
  EXPECT_THROW((void)problems([] { throw std::runtime_error("no"); }), std::runtime_error);
  Graph graph(place());
  graph.capture_begin();
  const Tensor y = x_ + 1.0;
  graph.capture_end();
  graph.replay();
  EXPECT_EQ(floats(y), (std::vector<float>{2, 3, 4}));
}

TEST_P(StepLintTest, AnotherThreadIsNotLookedAt) {
  const auto step = [&] { std::thread([&] { (void)(x_ + 1.0).to_vector<float>(); }).join(); };
  EXPECT_THAT(problems(step), IsEmpty());
}

TEST_P(StepLintTest, TellsAsManyAsThereMayBe) {
  const auto step = [&] {
    for (int i = 0; i < 1'100; ++i) {
      Tensor each = x_ + 1.0;
      each.set_name("each_" + std::to_string(i));
      (void)each.to_vector<float>();
    }
  };
  EXPECT_THAT(problems(step), SizeIs(StepLint::kMostProblems));
}

TEST_P(StepLintTest, RunsOfProgramsAreLookedAt) {
  Program main;
  Program startup;
  {
    const ProgramGuard building(main, startup);
    const Variable x = data("x", {3}, kFloat32);
    const Variable y = x + 1.0;
    y.set_persistable(true);
  }
  Executor executor(place(), CompileOptions::exact(), Scope());
  const auto step = [&] { executor.run(main, {{"x", x_}}, {}); };
  EXPECT_THAT(problems(step), ElementsAre(problem("Executor::run() feeds 'x'", "for ever")));
}

LOCI_GRAPH_PLACES(StepLintTest);

class StepLintPlacesTest : public CaptureTest {
 protected:
  Tensor x_ = Tensor::from(std::vector<float>{1, 2}, {2}).to("sim:0");
};

TEST_F(StepLintPlacesTest, OperatorsElsewhereAndCopiesBetweenPlacesAreTold) {
  const auto step = [&] {
    const Tensor y = x_ + 1.0;
    const DeviceGuard host("cpu");
    (void)sqrt(y);
  };
  EXPECT_THAT(
      inspect::capture_problems(step, "sim:0"),
      ElementsAre(problem("[copy] of ", "what [scale] computes is copied from sim:0 to cpu")));
}

TEST_F(StepLintPlacesTest, WhatIsComputedElsewhereWouldBeReadAsItWas) {
  Tensor rate = Tensor::from(std::vector<float>{1, 1}, {2}).to("sim:1");
  const auto step = [&] {
    const Tensor y = rate + 1.0;
    (void)(x_ + y.to("sim:0"));
  };
  EXPECT_THAT(inspect::capture_problems(step, "sim:0"),
              ElementsAre(problem("[scale] ", "it is work of sim:1")));
}

TEST_F(StepLintPlacesTest, ExecutorsOfOtherPlacesAreTold) {
  Program main;
  Executor executor("cpu", CompileOptions::exact(), Scope());
  EXPECT_THAT(inspect::capture_problems([&] { executor.run(main, {}, {}); }, "sim:0"),
              ElementsAre(problem("Executor::run()", "it runs at cpu")));
}

TEST_F(StepLintPlacesTest, AStreamOfAnotherPlaceThatWaitsIsTold) {
  const Stream other("sim:1");
  const auto step = [&] {
    Event forked;
    forked.record(Stream::current("sim:0"));
    forked.wait(other);
  };
  EXPECT_THAT(inspect::capture_problems(step, "sim:0"),
              ElementsAre(problem("a stream of sim:1", "waits for an event of sim:0")));
}

TEST_F(StepLintPlacesTest, APlaceThatIsNotThereIsAnError) {
  EXPECT_THROW((void)inspect::capture_problems([] {}, "npu:0"), Error);
}

}  // namespace
}  // namespace loci::capture
