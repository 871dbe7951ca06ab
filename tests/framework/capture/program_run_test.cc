#include "framework/capture/program_run.h"

#include <array>

#include "tests/framework/capture/graph_fixture.h"

namespace loci::capture {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::int64_t kBatch = 8;

// One hidden layer with dropout, trained by Adam; everything that a step takes and gives is in the
// scope.
struct Model {
  explicit Model(double dropout_rate = 0.25) {
    const ProgramGuard building(main, startup);
    x = data("x", {kBatch, 6}, kFloat32);
    target = data("target", {kBatch, 2}, kFloat32);
    x.set_persistable(true);
    target.set_persistable(true);
    Variable hidden = relu(layers::fc(x, 16));
    if (dropout_rate > 0) hidden = dropout(hidden, dropout_rate);
    loss = mean(square_error_cost(layers::fc(hidden, 2), target));
    loss.rename("loss");
    loss.set_persistable(true);
    optimizer.minimize(loss);
  }
  Program main;
  Program startup;
  Variable x;
  Variable target;
  Variable loss;
  optimizer::Adam optimizer{0.05};
};

Tensor batch(int step, std::int64_t width) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < kBatch * width; ++i) {
    values.push_back(static_cast<float>((step * 31 + i * 7) % 11) / 5 - 1);
  }
  return Tensor::from(values, {kBatch, width});
}

class ProgramRunTest : public GraphTest {
 protected:
  // One of its own for each test, with the same parameters every time.
  [[nodiscard]] Scope started(Model& model) const {
    Scope scope;
    Executor executor(place(), CompileOptions::exact(), scope);
    executor.run(model.startup);
    return scope;
  }
  static void set_batch(const Scope& scope, int step) {
    scope.set("x", batch(step, 6));
    scope.set("target", batch(step + 5, 2));
  }
};
LOCI_GRAPH_PLACES(ProgramRunTest);

// The seed's second listing.
TEST_P(ProgramRunTest, BatchesAreSetInTheScope) {
  Program main;
  Program startup;
  Variable input;
  Variable output;
  {
    const ProgramGuard building(main, startup);
    input = data("input", {1}, kFloat32);
    input.set_persistable(true);
    output = input + 1.0;
    output.rename("output");
    output.set_persistable(true);
  }
  const Scope scope;
  Executor executor(place(), {}, scope);
  executor.run(startup);
  Graph graph(place());
  std::vector<float> seen;
  for (int batch = 0; batch < 5; ++batch) {
    const Tensor fed = Tensor::from<float>({static_cast<float>(batch)}, {1});
    if (batch == 0) {
      executor.run(main, {{"input", fed}});
    } else {
      scope.set("input", fed);
      if (batch == 1) {
        graph.capture_begin();
        executor.run(main);
        graph.capture_end();
      }
      graph.replay();
    }
    seen.push_back(floats(scope.find("output")).front());
  }
  EXPECT_THAT(seen, ElementsAre(1, 2, 3, 4, 5));
}

TEST_P(ProgramRunTest, ADecisionOfTheHostIsRefusedAsOne) {
  Program main;
  Program startup;
  {
    const ProgramGuard building(main, startup);
    const Variable x = data("x", {2}, kFloat32);
    x.set_persistable(true);
    const Variable y = cond(
        less_than(reduce_sum(x), reduce_max(x)), [&] { return x + 1.0; }, [&] { return x * 2.0; });
    y.rename("y");
    y.set_persistable(true);
  }
  const Scope scope;
  scope.set("x", vector({1, 2}));
  Executor executor(place(), CompileOptions::exact(), scope);
  executor.run(main);
  Graph graph(place());
  graph.capture_begin();
  EXPECT_THAT(
      [&] { executor.run(main); },
      ThrowsMessage<Error>(AllOf(
          HasSubstr("[case] case_0 cannot be captured: what it decides by is read on the host"),
          HasSubstr("run it between two graphs"))));
  EXPECT_THAT([&] { graph.capture_end(); }, ThrowsMessage<Error>(HasSubstr("what it decides by")));
}

// F2, F3, F4: dropout, Adam's step count and the losses.
TEST_P(ProgramRunTest, ReplayedStepsTrainAsPlainOnes) {
  constexpr int kSteps = 30;
  std::array<std::vector<float>, 2> losses;
  std::array<std::vector<float>, 2> weights;
  for (const bool captured : {false, true}) {
    Model model;
    const Scope scope = started(model);
    Executor executor(place(), CompileOptions::exact(), scope);
    Graph graph(place());
    for (int step = 0; step < kSteps; ++step) {
      set_batch(scope, step);
      if (captured && step == 2) {
        graph.capture_begin();
        executor.run(model.main);
        graph.capture_end();
      }
      if (captured && step >= 2) {
        graph.replay();
      } else {
        executor.run(model.main);
      }
      losses[captured].push_back(floats(scope.find("loss")).front());
    }
    for (const std::string& name : scope.names()) {
      const Tensor value = scope.find(name);
      if (value.dtype() != kFloat32) continue;
      for (const float element : floats(value)) weights[captured].push_back(element);
    }
  }
  EXPECT_EQ(losses[0], losses[1]);
  EXPECT_EQ(weights[0], weights[1]);
  EXPECT_LT(losses[1].back(), losses[1].front());
}

// F1: a schedule changes the learning rate between replays.
TEST_P(ProgramRunTest, TheLearningRateIsReadByEachReplay) {
  std::array<std::vector<float>, 2> losses;
  for (const bool captured : {false, true}) {
    Model model;
    const Scope scope = started(model);
    Executor executor(place(), CompileOptions::exact(), scope);
    Graph graph(place());
    for (int step = 0; step < 8; ++step) {
      set_batch(scope, step);
      model.optimizer.set_learning_rate(0.1 / (step + 1), scope);
      if (captured && step == 1) {
        graph.capture_begin();
        executor.run(model.main);
        graph.capture_end();
      }
      captured&& step >= 1 ? graph.replay() : (void)executor.run(model.main);
      losses[captured].push_back(floats(scope.find("loss")).front());
    }
  }
  EXPECT_EQ(losses[0], losses[1]);
}

TEST_P(ProgramRunTest, FeedAndFetchAreRefused) {
  Model model;
  const Scope scope = started(model);
  Executor executor(place(), {}, scope);
  set_batch(scope, 0);
  executor.run(model.main);
  Graph graph(place());
  graph.capture_begin();
  EXPECT_THAT(
      [&] {
        executor.run(model.main, {{"x", batch(1, 6)}});
      },
      ThrowsMessage<Error>(AllOf(HasSubstr("feeds 'x'"), HasSubstr("persistable"))));
  EXPECT_THAT([&] { executor.run(model.main, {}, {model.loss}); },
              ThrowsMessage<Error>(AllOf(HasSubstr("fetches 'loss'"), HasSubstr("persistable"))));
  executor.run(model.main);
  graph.capture_end();
  graph.replay();
  EXPECT_GT(floats(scope.find("loss")).front(), 0);
}

TEST_P(ProgramRunTest, AnotherStorageOfAVariableIsReadFromThere) {
  Model model(0);
  const Scope scope = started(model);
  Executor executor(place(), CompileOptions::exact(), scope);
  set_batch(scope, 0);
  executor.run(model.main);
  Graph graph(place());
  graph.capture_begin();
  executor.run(model.main);
  graph.capture_end();
  scope.erase("x");
  scope.set("x", full({kBatch, 6}, 0.0, kFloat32));
  scope.erase("target");
  scope.set("target", full({kBatch, 2}, 1e3, kFloat32));
  graph.replay();
  EXPECT_GT(floats(scope.find("loss")).front(), 9e5);
}

TEST_P(ProgramRunTest, AnotherShapeIsRefused) {
  Model model(0);
  const Scope scope = started(model);
  Executor executor(place(), {}, scope);
  set_batch(scope, 0);
  executor.run(model.main);
  Graph graph(place());
  graph.capture_begin();
  executor.run(model.main);
  graph.capture_end();
  scope.set("x", full({kBatch / 2, 6}, 0.0, kFloat32));
  EXPECT_THAT([&] { graph.replay(); },
              ThrowsMessage<Error>(AllOf(HasSubstr("'x' was float32[8, 6] and is float32[4, 6]"),
                                         HasSubstr("capture again"))));
  set_batch(scope, 1);
  EXPECT_NO_THROW(graph.replay());
}

TEST_P(ProgramRunTest, AMissingVariableIsRefused) {
  Model model(0);
  const Scope scope = started(model);
  Executor executor(place(), {}, scope);
  set_batch(scope, 0);
  executor.run(model.main);
  Graph graph(place());
  graph.capture_begin();
  executor.run(model.main);
  graph.capture_end();
  scope.erase("x");
  EXPECT_THAT([&] { graph.replay(); }, ThrowsMessage<Error>(HasSubstr("'x'")));
}

TEST_P(ProgramRunTest, LoopsAreRefused) {
  Program main;
  Program startup;
  {
    const ProgramGuard building(main, startup);
    const Variable count = create_persistable({1}, kFloat32, initializer::constant(0), "count");
    using Values = std::vector<Variable>;
    const Variable end = while_loop([](const Values& v) { return v[0] < full_like(v[0], 10.0); },
                                    [](const Values& v) { return Values{v[0] + 1.0}; }, {count})[0];
    end.rename("end");
    end.set_persistable(true);
  }
  const Scope scope;
  Executor executor(place(), {}, scope);
  executor.run(startup);
  executor.run(main);
  Graph graph(place());
  graph.capture_begin();
  EXPECT_THAT([&] { executor.run(main); },
              ThrowsMessage<Error>(AllOf(HasSubstr("[while]"), HasSubstr("cannot be captured"))));
  EXPECT_THROW(graph.capture_end(), Error);
}

TEST_P(ProgramRunTest, ScansAreRefused) {
  Program main;
  Program startup;
  {
    const ProgramGuard building(main, startup);
    const Variable count = create_persistable({1}, kFloat32, initializer::constant(0), "count");
    using Values = std::vector<Variable>;
    scan(
        [](const Values& carry, const Values&) {
          return ScanResult<Variable>{{carry[0] + 1.0}, {}};
        },
        {count}, {}, {3})
        .carry[0]
        .set_persistable(true);
  }
  const Scope scope;
  Executor executor(place(), {}, scope);
  executor.run(startup);
  executor.run(main);
  Graph graph(place());
  graph.capture_begin();
  EXPECT_THAT([&] { executor.run(main); },
              ThrowsMessage<Error>(AllOf(HasSubstr("[scan]"), HasSubstr("cannot be captured"),
                                         HasSubstr("each of its steps runs a plan of its own"))));
  EXPECT_THROW(graph.capture_end(), Error);
}

TEST_P(ProgramRunTest, MixesWithImperativeOps) {
  Model model(0);
  const Scope scope = started(model);
  Executor executor(place(), CompileOptions::exact(), scope);
  set_batch(scope, 0);
  executor.run(model.main);
  const Tensor loss = scope.find("loss");
  const Tensor total = vector({0});
  Graph graph(place());
  graph.capture_begin();
  executor.run(model.main);
  total.add_(loss.reshaped({1}));
  executor.run(model.main);
  total.add_(loss.reshaped({1}));
  graph.capture_end();
  EXPECT_EQ(graph.stats().program_runs, 2U);
  graph.replay();
  const float both = floats(total).front();
  EXPECT_GT(both, floats(loss).front());
  graph.replay();
  EXPECT_GT(floats(total).front(), both);
}

// A graph's work comes behind what is made of variables for it.
TEST_P(ProgramRunTest, ACopyOfWhatTheGraphChangesIsNotStale) {
  Program infer;
  Program startup;
  {
    const ProgramGuard building(infer, startup);
    const Variable x = data("x", {4, 64}, kFloat32);
    x.set_persistable(true);
    const Variable y = layers::fc(x, 32);
    y.rename("y");
    y.set_persistable(true);
  }
  const Scope scope;
  Executor executor(place(), {}, scope);
  executor.run(startup);
  scope.set("x", full({4, 64}, 1.0, kFloat32));
  executor.run(infer);
  std::string weight;
  for (const std::string& name : scope.names()) {
    if (scope.find(name).shape() == Shape{64, 32}) weight = name;
  }
  const Tensor w = scope.find(weight);
  const Tensor step = full({64, 32}, 1.0, kFloat32).to(place());
  Graph graph(place());
  graph.capture_begin();
  w.add_(step);
  try {
    executor.run(infer);
    graph.capture_end();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr(weight), HasSubstr("pack_constants")));
    return;
  }
  graph.replay();
  graph.replay();
  const float replayed = floats(scope.find("y")).front();
  executor.run(infer);
  EXPECT_EQ(floats(scope.find("y")).front(), replayed);
}

// Bringing a variable waits for the device, which a capture refuses instead of hanging.
TEST_P(ProgramRunTest, AColdProgramIsRefusedOrCaptured) {
  Model model(0);
  Scope scope;
  Executor host("cpu", CompileOptions::exact(), scope);
  host.run(model.startup);
  set_batch(scope, 0);
  Executor executor(place(), CompileOptions::exact(), scope);
  Graph graph(place());
  graph.capture_begin();
  try {
    executor.run(model.main);
    graph.capture_end();
    graph.replay();
    EXPECT_GT(floats(scope.find("loss")).front(), 0);
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("being captured"));
    graph.abort();
  }
}

TEST_P(ProgramRunTest, AFailedVariableIsRefused) {
  Model model(0);
  const Scope scope = started(model);
  Executor executor(place(), {}, scope);
  set_batch(scope, 0);
  executor.run(model.main);
  Graph graph(place());
  graph.capture_begin();
  executor.run(model.main);
  graph.capture_end();
  const Tensor x = scope.find("x");
  x.impl()->storage()->uses.fail(device::failure_of(Error(ErrorCode::kFailed, "it was planted")));
  EXPECT_THAT([&] { graph.replay(); }, ThrowsMessage<Error>(HasSubstr("it was planted")));
  x.impl()->storage()->uses.clear_failure();
}

class ProgramRunPlacesTest : public CaptureTest {};

TEST_F(ProgramRunPlacesTest, OperatorsOfOtherPlacesAreRefused) {
  Program main;
  Program startup;
  {
    const ProgramGuard building(main, startup);
    const Variable x = data("x", {4}, kFloat32);
    x.set_persistable(true);
    Variable y = x + x;
    {
      const DeviceGuard on_cpu("cpu");
      y = relu(y);
    }
    y.rename("y");
    y.set_persistable(true);
  }
  const Scope scope;
  Executor executor("sim:0", CompileOptions::none(), scope);
  scope.set("x", full({4}, 1.0, kFloat32));
  executor.run(main);
  Graph graph("sim:0");
  graph.capture_begin();
  EXPECT_THAT([&] { executor.run(main); },
              ThrowsMessage<Error>(AllOf(HasSubstr("cannot be captured"), HasSubstr("relu"))));
  graph.abort();
}

}  // namespace
}  // namespace loci::capture
