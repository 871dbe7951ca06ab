#include <loci/autograd.hpp>
#include <loci/control_flow.hpp>
#include <loci/io.hpp>
#include <loci/trace.hpp>

#include "tests/framework/eager/eager_fixture.h"
#include "tests/support/scratch_directory.h"

namespace loci::tracing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Tensors = std::vector<Tensor>;

class TracedControlTest : public eager::EagerTest {};

TEST_F(TracedControlTest, BothBranchesAreInTheProgram) {
  const CompiledFunction absolute = compile(
      [](const Tensors& in) -> Tensors {
        return {cond(
            in[0] < vector({0}), [&] { return -in[0]; }, [&] { return in[0] * 1.0; })};
      },
      {vector({1})});
  EXPECT_THAT(floats(absolute({vector({-3})})[0]), ElementsAre(3));
  EXPECT_THAT(floats(absolute({vector({4})})[0]), ElementsAre(4));
  EXPECT_EQ(absolute.signatures(), 1U);
}

TEST_F(TracedControlTest, ALoopIsOneOperator) {
  const CompiledFunction power = compile(
      [](const Tensors& in) -> Tensors {
        return {while_loop([&](const Tensors& v) { return v[0] < in[0]; },
                           [](const Tensors& v) -> Tensors { return {v[0] * 2.0}; },
                           {full({1}, 1)})[0]};
      },
      {vector({1})});
  EXPECT_THAT(floats(power({vector({100})})[0]), ElementsAre(128));
  EXPECT_THAT(floats(power({vector({1})})[0]), ElementsAre(1));
}

TEST_F(TracedControlTest, SwitchesAndSelections) {
  const CompiledFunction chosen = compile(
      [](const Tensors& in) -> Tensors {
        const Tensor by_key = switch_case(
            in[0], {{1, [&] { return in[1] + 1.0; }}, {2, [&] { return in[1] * 10.0; }}});
        return {by_key, select_input(in[0], {in[1] - 1.0, in[1] * 2.0, in[1] * 3.0})};
      },
      {Tensor::from<std::int64_t>({1}, {1}), vector({1})});
  const Tensors results = chosen({Tensor::from<std::int64_t>({2}, {1}), vector({5})});
  EXPECT_THAT(floats(results[0]), ElementsAre(50));
  EXPECT_THAT(floats(results[1]), ElementsAre(15));
}

TEST_F(TracedControlTest, GradientsGoThroughBranches) {
  const Tensor w = variable({2});
  const CompiledFunction step = compile(
      [&](const Tensors& in) -> Tensors {
        const Tensor y = cond(
            in[0] < vector({0}), [&] { return w * 3.0; }, [&] { return w * w * in[0]; });
        return grad({reduce_sum(y)}, {w});
      },
      {vector({1})});
  EXPECT_THAT(floats(step({vector({5})})[0]), ElementsAre(20));
  EXPECT_THAT(floats(step({vector({-5})})[0]), ElementsAre(3));
}

TEST_F(TracedControlTest, WhatABranchMustNotDoIsNamed) {
  const auto tracing = [](auto branch) {
    return [branch] {
      trace(
          [&](const Tensors& in) -> Tensors {
            const Tensor sum = in[0] * 1.0;
            return {cond(
                in[0] < vector({0}), [&] { return branch(sum); }, [&] { return sum; })};
          },
          {vector({1})});
    };
  };
  EXPECT_THAT(tracing([](const Tensor& sum) {
                sum += vector({1});
                return sum;
              }),
              ThrowsMessage<Error>(HasSubstr("within a branch or loop")));
  EXPECT_THAT(tracing([](const Tensor& sum) { return grad({reduce_sum(sum * sum)}, {sum})[0]; }),
              ThrowsMessage<Error>(HasSubstr("differentiate it outside")));
}

TEST_F(TracedControlTest, EveryFormIsSavedAsAProgram) {
  const auto every_form = [](const Tensors& in) -> Tensors {
    const Tensor& x = in[0];
    const Tensor small = x < full({1}, 3);
    const Tensor raised =
        while_loop([](const Tensors& v) { return v[0] < full({1}, 2); },
                   [](const Tensors& v) -> Tensors { return {v[0] + 1.0}; }, {x})[0];
    const auto nested = [&] {
      return switch_case(in[1], {{1, [&] { return raised * 2.0; }}}, [&] { return raised * 4.0; });
    };
    const Tensor chosen = case_of({{small, nested}}, [&] { return -raised; });
    return {select_input(cast(small, kInt32), {chosen, chosen + 0.5})};
  };
  const auto key = [](std::int64_t value) { return Tensor::from<std::int64_t>({value}, {1}); };
  TraceOptions options;
  options.input_names = {"x", "key"};
  options.output_names = {"y"};
  const CompiledFunction compiled = compile(every_form, {vector({1}), key(0)}, options);
  const test::ScratchDirectory scratch;
  compiled.save(scratch.path("model"));
  const Program saved = io::load_model(scratch.path("model")).main;
  Scope scope;
  Executor executor("cpu", {}, scope);
  for (const float x : {-1.0F, 2.5F, 7.0F}) {
    for (const std::int64_t k : {0, 1}) {
      const Feed feed{{"x", vector({x})}, {"key", key(k)}};
      const float expected = compiled({vector({x}), key(k)})[0].item<float>();
      EXPECT_EQ(executor.run(saved, feed, {"y"}).front().item<float>(), expected);
      EXPECT_EQ(expected, every_form({vector({x}), key(k)})[0].item<float>()) << x << " " << k;
    }
  }
}

}  // namespace
}  // namespace loci::tracing
