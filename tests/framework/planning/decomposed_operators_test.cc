#include "framework/planning/decomposed_operators.h"

#include "framework/execution/continuation.h"
#include "framework/ops/decompose_context.h"
#include "framework/ops/op_registry.h"
#include "framework/planning/rewritten_programs.h"
#include "tests/framework/executor/programs_fixture.h"

namespace loci::planning {
namespace {

using execution::Instruction;
using execution::PlaceReason;
using execution::Plan;
using execution::PlanFeed;
using execution::PlanOperator;
using ops::DecomposeContext;
using ops::OpSchema;
using ops::Value;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

// The toy device has kernels of relu and scale, and none of what is added here.
class DecomposedOperatorsTest : public executor::ProgramsTest {
 protected:
  DecomposedOperatorsTest() {
    if (ops::op_registry().contains("test_bent")) return;
    OpSchema schema("test_bent");
    schema.input("x", ops::kFloats).output("out").output("half");
    schema.infer([](ops::InferContext& ctx) {
      ctx.set_output("out", ctx.input("x"));
      ctx.set_output("half", ctx.input("x"));
    });
    // d out = 3 d x, so that it is not that of the parts.
    schema.gradient(
        [](ops::GradContext& ctx) { ctx.set_input_grad("x", scale(ctx.output_grad("out"), 3.0)); });
    ops::op_registry().add(std::move(schema.decompose([](DecomposeContext& ctx) {
      const Value bent = relu(ctx.input("x"));
      ctx.set_output("out", scale(bent, 2.0));
      ctx.set_output("half", bent);
    })));
  }

  static Variable bent(const Variable& x) {
    return OpCall<Variable>("test_bent").input("x", x).result();
  }
  static std::vector<std::string> placed(const Plan& plan) {
    std::vector<std::string> list;
    for (const PlanOperator& op : plan.operators) {
      list.push_back(op.op->name + " " + op.device->place().to_string() + " " +
                     std::string(place_reason_name(op.reason)));
    }
    return list;
  }
  // At toy:0, of a program that is kept for other sizes.
  std::shared_ptr<const Plan> compile_kept(const std::vector<PlanFeed>& feeds,
                                           const std::vector<std::string>& fetches,
                                           RewrittenPrograms* rewritten) {
    PlanRequest request;
    request.program = main_.impl();
    request.feeds = feeds;
    request.fetches = fetches;
    request.device = &device_at("toy:0");
    request.scope = scope_.impl().get();
    request.rewritten = rewritten;
    return compile_plan(request, &kernels_);
  }
  static std::size_t copies(const Plan& plan) {
    std::size_t count = 0;
    for (const Instruction& instruction : plan.instructions) {
      count += instruction.transfer() == nullptr ? 0 : 1;
    }
    return count;
  }
};

TEST_F(DecomposedOperatorsTest, PartsRunWhereTheOperatorWould) {
  const Variable y = bent(relu(data("x", {-1}, kFloat32)));
  const auto plan = compile({feed_of("x", {3})}, {y.name()}, "toy:1");
  EXPECT_THAT(placed(*plan),
              ElementsAre("relu_0 toy:1 default", "test_bent_0.relu_0 toy:1 decomposed",
                          "test_bent_0.scale_1 toy:1 decomposed"));
  EXPECT_EQ(plan->operators[1].detail,
            "part of test_bent_0 [test_bent], for which toy:1 has no kernel: no plugin brings a "
            "kernel of test_bent for toy");
  EXPECT_EQ(copies(*plan), 1U) << "of the feed";
}

TEST_F(DecomposedOperatorsTest, TheResultsAreTheOperators) {
  const Variable x = data("x", {-1}, kFloat32);
  const auto both = OpCall<Variable>("test_bent").input("x", x).results();
  for (const CompileOptions& options : {CompileOptions::none(), CompileOptions()}) {
    Executor executor("toy:0", options, scope_);
    const auto out = executor.run(main_, {{"x", vector({-1, 3})}}, {both[0], both[1]});
    EXPECT_EQ(out[0].to_vector<float>(), (std::vector<float>{0, 6}));
    EXPECT_EQ(out[1].to_vector<float>(), (std::vector<float>{0, 3}));
  }
}

TEST_F(DecomposedOperatorsTest, TheGradientIsTheOperators) {
  const Variable x = data("x", {1}, kFloat32);
  const Variable grad = gradients(bent(x), {x})[0];
  Executor executor("toy:0", CompileOptions(), scope_);
  EXPECT_EQ(executor.run(main_, {{"x", vector({-1})}}, {grad})[0].item<float>(), 3);
}

TEST_F(DecomposedOperatorsTest, TheOperatorMayBeGuarded) {
  Variable y;
  {
    const DeviceGuard guard("toy:0");
    y = bent(data("x", {2}, kFloat32));
  }
  EXPECT_THAT(
      placed(*compile({feed_of("x", {2})}, {y.name()})),
      ElementsAre("test_bent_0.relu_0 toy:0 decomposed", "test_bent_0.scale_1 toy:0 decomposed"));
}

// A profile shows them within it, or within the gradient that it is part of itself.
TEST_F(DecomposedOperatorsTest, PartsBelongToTheOperator) {
  const Variable x = data("x", {2}, kFloat32);
  const Variable y = bent(x);
  const Variable z = bent(x);
  program::Operator& second = main_.impl()->main().ops.back();
  second.scope = "tanh_grad";
  second.origin = "tanh_0";
  const auto plan =
      compile({feed_of("x", {2})}, {y.name(), z.name()}, "toy:0", CompileOptions::none());
  ASSERT_EQ(plan->operators.size(), 4U);
  for (const std::size_t i : {0U, 1U}) {
    const program::Operator& part = *plan->operators[i].op;
    EXPECT_EQ(part.scope, "");
    ASSERT_NE(part.enclosure, nullptr);
    EXPECT_EQ(part.enclosure->type, "test_bent");
    EXPECT_EQ(part.enclosure->name, "test_bent_0");
  }
  for (const std::size_t i : {2U, 3U}) {
    EXPECT_EQ(plan->operators[i].op->scope, "tanh_grad");
    EXPECT_EQ(plan->operators[i].op->origin, "tanh_0");
    EXPECT_EQ(plan->operators[i].op->enclosure, nullptr);
  }
}

TEST_F(DecomposedOperatorsTest, NoFallbackIsForbiddenByThePolicy) {
  const Variable y = bent(data("x", {2}, kFloat32));
  CompileOptions strict;
  strict.fallback = FallbackPolicy::kError;
  EXPECT_EQ(compile({feed_of("x", {2})}, {y.name()}, "toy:0", strict)->operators.size(), 2U);
}

TEST_F(DecomposedOperatorsTest, WhereAPartHasNoKernelTheOperatorStays) {
  const Variable y = softmax(data("x", {2}, kFloat32));
  EXPECT_THAT(placed(*compile({feed_of("x", {2})}, {y.name()}, "toy:0")),
              ElementsAre("softmax_0 cpu no_kernel"));
}

// The CPU has no kernel of the operator either, and has those of its parts.
TEST_F(DecomposedOperatorsTest, TheCpuStandsInWithTheParts) {
  const Variable wide = bent(data("wide", {2}, kFloat64));
  const std::vector<PlanFeed> feeds{feed_of("wide", {2}, kFloat64)};
  ::testing::internal::CaptureStderr();
  const auto plan = compile(feeds, {wide.name()}, "toy:0");
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("1 x test_bent (no plugin brings a kernel"));
  ASSERT_EQ(plan->operators.size(), 2U);
  for (const auto& op : plan->operators) {
    EXPECT_EQ(op.device->place(), Place("cpu"));
    EXPECT_EQ(op.reason, PlaceReason::kDecomposed);
    EXPECT_THAT(op.detail, HasSubstr("for which toy:0 has no kernel: "));
  }
  CompileOptions strict;
  strict.fallback = FallbackPolicy::kError;
  EXPECT_THAT([&] { compile(feeds, {wide.name()}, "toy:0", strict); },
              ThrowsMessage<Error>(HasSubstr("the policy forbids the CPU")));
  main_.impl()->main().ops.back().guard = "toy:0";
  main_.impl()->touch();
  EXPECT_THAT([&] { compile(feeds, {wide.name()}); },
              ThrowsMessage<Error>(HasSubstr("remove the device guard")));
}

TEST_F(DecomposedOperatorsTest, WhatHangsOnValuesIsDecomposedInItsStage) {
  const Variable x = data("x", {-1}, kFloat32);
  const Variable y = bent(cast(nonzero(x), kFloat32));
  const auto plan = compile({feed_of("x", {3})}, {y.name()});
  ASSERT_NE(plan->rest, nullptr);
  EXPECT_THAT(placed(*plan), ElementsAre("nonzero_0 cpu default"));
  Executor executor("cpu", CompileOptions(), scope_);
  const Tensor out = executor.run(main_, {{"x", vector({5, 0, 5})}}, {y})[0];
  EXPECT_EQ(out.to_vector<float>(), (std::vector<float>{0, 4}));
}

TEST_F(DecomposedOperatorsTest, SoAreBranchesAndLoops) {
  const Variable x = data("x", {2}, kFloat32);
  const Variable on = data("on", {1}, kBool);
  const Variable y = cond(
      on, [&] { return bent(x); }, [&] { return x; });
  const Variable zero = fill_constant({1}, 0, kInt64);
  const auto looped = while_loop(
      [](const std::vector<Variable>& v) { return less_than(v[0], fill_constant({1}, 2, kInt64)); },
      [](const std::vector<Variable>& v) {
        return std::vector<Variable>{v[0] + 1, bent(v[1])};
      },
      {zero, y});
  Executor executor("cpu", CompileOptions(), scope_);
  const Tensor yes = Tensor::from<bool>({true}, {1});
  const auto out = executor.run(main_, {{"x", vector({-1, 3})}, {"on", yes}}, {looped[1]});
  EXPECT_EQ(out[0].to_vector<float>(), (std::vector<float>{0, 24}));
}

// A program that is known is lowered before anybody asks, where that has been in vain for no size.
TEST_F(DecomposedOperatorsTest, SoAreOtherSizesOfAKnownProgram) {
  const Variable y = bent(relu(data("x", {-1}, kFloat32)));
  RewrittenPrograms rewritten;
  for (const std::int64_t size : {3, 4, 5}) {
    const auto plan = compile_kept({feed_of("x", {size})}, {y.name()}, &rewritten);
    EXPECT_THAT(placed(*plan),
                ElementsAre("relu_0 toy:0 default", "test_bent_0.relu_0 toy:0 decomposed",
                            "test_bent_0.scale_1 toy:0 decomposed"))
        << size;
    EXPECT_EQ(value_of(*plan, plan->fetches[0].value).type.shape, (Shape{size}));
  }
  EXPECT_EQ(rewritten.size(), 1U);
}

TEST_F(DecomposedOperatorsTest, OtherSizesFallBackWhereAPartHasNoKernel) {
  const Variable y = softmax(data("x", {-1}, kFloat32));
  RewrittenPrograms rewritten;
  for (const std::int64_t size : {3, 4, 5}) {
    const auto plan = compile_kept({feed_of("x", {size})}, {y.name()}, &rewritten);
    EXPECT_THAT(placed(*plan), ElementsAre("softmax_0 cpu no_kernel")) << size;
    EXPECT_EQ(plan->program,
              compile_kept({feed_of("x", {size + 7})}, {y.name()}, &rewritten)->program);
  }
  EXPECT_EQ(rewritten.size(), 1U);
}

TEST_F(DecomposedOperatorsTest, APlanWithoutAnyIsLeftAlone) {
  const Variable y = softmax(data("x", {2}, kFloat32));
  auto program = std::make_shared<program::ProgramImpl>(*main_.impl());
  PlanRequest request;
  request.device = &device_at("cpu");
  request.scope = scope_.impl().get();
  Plan plan;
  plan.program = program;
  plan.feeds = {feed_of("x", {2})};
  const DecomposedOperators none = decompose_operators(request, plan, &kernels_);
  EXPECT_EQ(none.program, nullptr);
  EXPECT_THAT(none.origins, IsEmpty());
}

}  // namespace
}  // namespace loci::planning
