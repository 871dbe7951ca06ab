// Places of traced operators: what the user put somewhere, and all else.
#include <loci/inspect.hpp>
#include <loci/io.hpp>

#include "framework/program/program_impl.h"
#include "framework/tracing/tracer.h"
#include "tests/framework/eager/eager_fixture.h"
#include "tests/support/scratch_directory.h"

namespace loci::tracing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;
using Tensors = std::vector<Tensor>;

class TracedPlacesTest : public eager::EagerTest {
 protected:
  static Tensor at_sim() { return Tensor::from<float>({1, 3, 2, 6, 5, 4}, {2, 3}).to("sim:0"); }
  static CompileOptions options(FallbackPolicy fallback) {
    CompileOptions options;
    options.fallback = fallback;
    return options;
  }
  static std::vector<std::int64_t> best(const CompiledFunction& compiled) {
    const Tensor result = compiled({at_sim()})[0];
    EXPECT_EQ(result.place(), Place("sim:0"));
    return result.to_vector<std::int64_t>();
  }
  // "default cpu" of the operators that would run at `place`, in order.
  static std::vector<std::string> reasons(const Traced& traced, const Place& place) {
    Executor executor(place, options(FallbackPolicy::kAllow), traced.scope);
    Feed feed;
    for (const Variable& input : traced.inputs) feed.emplace_back(input.name(), zeros({2, 3}));
    const std::vector<Fetch> fetches(traced.outputs.begin(), traced.outputs.end());
    std::vector<std::string> found;
    for (const auto& op : inspect::plan(executor, traced.program, feed, fetches).operators) {
      found.push_back(op.reason + " " + op.place);
    }
    return found;
  }
};

TEST_F(TracedPlacesTest, WhatNobodyPutAnywhereFallsBackByThePolicy) {
  const auto fn = [](const Tensors& in) -> Tensors { return {argmax(in[0])}; };
  for (const FallbackPolicy policy : {FallbackPolicy::kAllow, FallbackPolicy::kWarn}) {
    EXPECT_THAT(best(compile(fn, {at_sim()}, {}, options(policy))), ElementsAre(1, 0));
  }
  const CompiledFunction strict = compile(fn, {at_sim()}, {}, options(FallbackPolicy::kError));
  EXPECT_THAT([&] { strict({at_sim()}); },
              ThrowsMessage<Error>(AllOf(HasSubstr("argmax_0 has no kernel at sim:0"),
                                         HasSubstr("the policy forbids the CPU"))));
}

TEST_F(TracedPlacesTest, AProgramSaysNoPlaceThatFollowsFromItsInputs) {
  const Traced traced = trace(
      [](const Tensors& in) -> Tensors {
        const Tensor scale = full({3}, 2.0);
        return {argmax(softmax(in[0] * scale) + ones({3}))};
      },
      {at_sim()});
  EXPECT_THAT(traced.program.to_string(), Not(HasSubstr("@")));
  EXPECT_THAT(reasons(traced, "cpu"), Each("default cpu"));
}

TEST_F(TracedPlacesTest, AGuardIsKeptAndNothingStandsIn) {
  const CompiledFunction guarded = compile(
      [](const Tensors& in) -> Tensors {
        const DeviceGuard guard("cpu");
        return {argmax(in[0])};
      },
      {at_sim()}, {}, options(FallbackPolicy::kError));
  EXPECT_THAT(best(guarded), ElementsAre(1, 0));
  EXPECT_THAT(guarded.traced({at_sim()}).program.to_string(), HasSubstr("} @cpu\n"));
  EXPECT_THAT(reasons(guarded.traced({at_sim()}), "sim:0"), ElementsAre("user_guard cpu"));
  const CompiledFunction impossible = compile(
      [](const Tensors& in) -> Tensors {
        const DeviceGuard guard("sim:0");
        return {argmax(in[0])};
      },
      {at_sim()}, {}, options(FallbackPolicy::kAllow));
  EXPECT_THAT([&] { impossible({at_sim()}); },
              ThrowsMessage<Error>(HasSubstr("change or remove the device guard")));
}

TEST_F(TracedPlacesTest, WhatWasMovedIsComputedThereAndTheCpuMayStandIn) {
  const auto to_cpu = [](const Tensors& in) -> Tensors { return {argmax(in[0].to("cpu"))}; };
  const CompiledFunction on_host = compile(to_cpu, {at_sim()}, {}, options(FallbackPolicy::kError));
  EXPECT_THAT(best(on_host), ElementsAre(1, 0));
  EXPECT_THAT(reasons(on_host.traced({at_sim()}), "sim:0"), Each("inputs cpu"));
  const Traced there =
      trace([](const Tensors& in) -> Tensors { return {argmax(relu(in[0].to("sim:1")))}; },
            {zeros({2, 3})});
  EXPECT_THAT(reasons(there, "cpu"), ElementsAre("inputs sim:1", "inputs sim:1", "no_kernel cpu"));
}

TEST_F(TracedPlacesTest, WhatIsMadeAtAPlaceIsMadeThere) {
  const Traced traced = trace(
      [](const Tensors& in) -> Tensors {
        return {zeros({2, 3}, kFloat32, "sim:1") + in[0].to("sim:1")};
      },
      {at_sim()});
  EXPECT_THAT(traced.program.to_string(), AllOf(HasSubstr("@~sim:1"), Not(HasSubstr("@sim"))));
}

TEST_F(TracedPlacesTest, GradientsAndStepsSayNoMoreThanTheirOperators) {
  nn::Linear layer(3, 2);
  layer.to("sim:0");
  optimizer::Adam adam(0.1);
  const Traced traced = trace(
      [&](const Tensors& in) -> Tensors {
        const Tensor loss = mean(square(layer(in[0])));
        loss.backward();
        adam.step(layer.parameters());
        return {loss};
      },
      {at_sim()});
  for (const program::Operator& op : traced.program.impl()->main().ops) {
    EXPECT_EQ(op.guard, "") << op.name;
  }
  const Traced mixed = trace(
      [&](const Tensors& in) -> Tensors {
        Tensor hidden;
        {
          const DeviceGuard guard("cpu");
          hidden = softmax(in[0]);
        }
        return grad({mean(square(hidden.to("sim:0")))}, {in[0]});
      },
      {[] {
        Tensor x = at_sim();
        x.set_requires_grad();
        return x;
      }()});
  for (const program::Operator& op : mixed.program.impl()->main().ops) {
    if (op.type() == "softmax_grad") {
      EXPECT_EQ(op.guard, "cpu");
    }
  }
}

TEST_F(TracedPlacesTest, ControlFlowFallsBackLikeAllElse) {
  const CompiledFunction compiled = compile(
      [](const Tensors& in) -> Tensors {
        const Tensor positive = greater_than(reduce_sum(in[0]), full({}, 0.0).to("sim:0"));
        const auto same = [&] { return Tensors{argmax(in[0])}; };
        const auto other = [&] { return Tensors{argmax(in[0] * -1.0)}; };
        return cond(positive, same, other);
      },
      {at_sim()}, {}, options(FallbackPolicy::kAllow));
  EXPECT_THAT(best(compiled), ElementsAre(1, 0));
}

// The parameters are at the device, and what is computed of them alone is too.
TEST_F(TracedPlacesTest, WhatATraceMeetsElsewhereStaysThereAndIsNotSaved) {
  const test::ScratchDirectory scratch;
  const Tensor w = Tensor::from<float>({1, 2, 3}, {3}).to("sim:1");
  w.set_name("w");
  const CompiledFunction compiled = compile(
      [&](const Tensors& in) -> Tensors { return {in[0] + (w * w).to("cpu")}; }, {zeros({2, 3})});
  EXPECT_THAT(reasons(compiled.traced({zeros({2, 3})}), "cpu"),
              ElementsAre("inputs sim:1", "inputs cpu", "inputs cpu"));
  compiled.save(scratch.path("model"));
  const io::Model model = io::load_model(scratch.path("model"));
  EXPECT_THAT(model.main.to_string(), AllOf(Not(HasSubstr("sim")), HasSubstr("@~cpu")));
  Scope scope;
  for (const auto& [name, weight] : model.weights) scope.set(name, weight);
  const std::string out = inspect::results(model.main).front().name();
  const std::string in = inspect::data_variables(model.main).front().name();
  const Tensors results = Executor("cpu", {}, scope).run(model.main, {{in, zeros({2, 3})}}, {out});
  EXPECT_THAT(floats(results[0]), ElementsAre(1, 4, 9, 1, 4, 9));
}

TEST_F(TracedPlacesTest, AModelThatWasTrainedAtADeviceRunsAnywhere) {
  const test::ScratchDirectory scratch;
  nn::Linear layer(3, 2);
  layer.to("sim:0");
  const CompiledFunction compiled =
      compile([&](const Tensors& in) -> Tensors { return {softmax(layer(in[0]))}; }, {at_sim()});
  const std::vector<float> wanted = floats(compiled({at_sim()})[0]);
  compiled.save(scratch.path("model"));
  const io::Model model = io::load_model(scratch.path("model"));
  EXPECT_THAT(model.main.to_string(), Not(HasSubstr("@")));
  Scope scope;
  for (const auto& [name, weight] : model.weights) scope.set(name, weight);
  const std::string out = inspect::results(model.main).front().name();
  const std::string in = inspect::data_variables(model.main).front().name();
  for (const char* place : {"cpu", "sim:1"}) {
    Executor executor(place, {}, scope);
    const Feed feed{{in, at_sim().to("cpu")}};
    EXPECT_EQ(floats(executor.run(model.main, feed, {out})[0]), wanted) << place;
    for (const auto& op : inspect::plan(executor, model.main, feed, {out}).operators) {
      EXPECT_EQ(op.reason, "default") << op.name;
      EXPECT_EQ(op.place, place) << op.name;
    }
  }
}

}  // namespace
}  // namespace loci::tracing
