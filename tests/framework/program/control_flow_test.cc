#include "framework/program/control_flow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/control_flow.hpp>
#include <loci/ops.hpp>

#include "framework/program/builder.h"

namespace loci::program {
namespace {

using ops::TensorType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class ControlFlowTest : public ::testing::Test {
 protected:
  const Operator& last() const { return main_.impl()->main().ops.back(); }

  Program main_;
  Program startup_;
  ProgramGuard guard_{main_, startup_};
  Variable on_ = data("on", {1}, kBool);
  Variable x_ = data("x", {2, 3}, kFloat32);
};

TEST_F(ControlFlowTest, MergesTypes) {
  const TensorType a{kFloat32, {2, 3}};
  EXPECT_EQ(merged(a, a), a);
  EXPECT_EQ(merged(a, {kFloat32, {2, 5}}), (TensorType{kFloat32, {2, kDynamicDim}}));
  EXPECT_FALSE(is_known(merged(a, {kFloat32, {6}})));
  EXPECT_FALSE(is_known(merged(a, {kInt32, {2, 3}})));
  EXPECT_FALSE(is_known(merged(a, {})));
}

TEST_F(ControlFlowTest, KnowsWhatBlocksTakeAndChange) {
  const Variable w = create_parameter({3}, kFloat32, initializer::constant(0), "w");
  const Variable rate = create_persistable({}, kFloat32, initializer::constant(0), "rate");
  cond(
      on_,
      [&] {
        sgd(w, w, rate);
        return relu(x_);
      },
      [&] { return x_; });
  EXPECT_TRUE(is_branching(last()));
  EXPECT_THAT(block_inputs(last()), ElementsAre(w.id(), rate.id(), x_.id()));
  EXPECT_THAT(changed_states(last()), ElementsAre(w.id()));
  EXPECT_EQ(last().outputs[1], changed_states(last()));
  EXPECT_FALSE(draws_random_numbers(main_.impl()->main()));
  cond(
      on_, [] { return uniform_random({2}); }, [] { return fill_constant({2}, 0); });
  EXPECT_TRUE(draws_random_numbers(main_.impl()->main()));
}

TEST_F(ControlFlowTest, InfersResultsForOtherArguments) {
  const Variable rows = data("rows", {-1, 3}, kFloat32);
  cond(
      on_, [&] { return relu(rows); }, [&] { return rows; });
  const Block& block = *last().blocks[0];
  EXPECT_EQ(result_types(block, {{kFloat32, {kDynamicDim, 3}}})[0],
            (TensorType{kFloat32, {kDynamicDim, 3}}));
  EXPECT_EQ(result_types(block, {{kFloat32, {7, 3}}})[0], (TensorType{kFloat32, {7, 3}}));
}

TEST_F(ControlFlowTest, RefusesBlocksThatDoNotFit) {
  cond(
      on_, [&] { return relu(x_); }, [&] { return x_; });
  Operator op = last();
  const Block& block = main_.impl()->main();
  op.blocks.pop_back();
  EXPECT_THAT([&] { infer_branches(block, op); },
              ThrowsMessage<Error>(HasSubstr("[case] has 1 block(s) instead of 2")));
  op = last();
  edit_blocks(op, [](Block& inner) { inner.arguments.clear(); });
  EXPECT_THAT([&] { infer_branches(block, op); },
              ThrowsMessage<Error>(HasSubstr("a block takes 0 argument(s), but it gets 1")));
  op = last();
  op.inputs[1] = {on_.id()};
  EXPECT_THAT([&] { infer_branches(block, op); },
              ThrowsMessage<Error>(HasSubstr("takes 'x' as float32[2, 3], but 'on' is bool[1]")));
}

// Growing values have no fixed extent, in the loop and behind it; nor has what depends on them.
TEST_F(ControlFlowTest, LoopsMayChangeExtents) {
  const auto holds = [&](const std::vector<Variable>&) { return on_; };
  const auto ends =
      while_loop(holds,
                 [](const auto& v) {
                   return std::vector<Variable>{concat(std::vector<Variable>{v[0], v[0]}, 1), v[1]};
                 },
                 {x_, x_});
  EXPECT_EQ(ends[0].shape(), (Shape{2, -1}));
  EXPECT_EQ(ends[1].shape(), (Shape{2, 3}));
  const Operator& op = last();
  const Block& body = *op.blocks[1];
  EXPECT_EQ(body.var(body.arguments[0]).type.shape, (Shape{2, -1}));
  EXPECT_EQ(body.var(body.results[0]).type.shape, (Shape{2, -1}));
  EXPECT_EQ(body.var(body.arguments[1]).type.shape, (Shape{2, 3}));
  EXPECT_TRUE(changes_shapes(op, {{kFloat32, {2, 3}}, {kFloat32, {2, 3}}, {kBool, {1}}}));
}

TEST_F(ControlFlowTest, LoopsKeepDtypeAndRank) {
  const auto holds = [&](const std::vector<Variable>&) { return on_; };
  EXPECT_THAT(
      [&] {
        while_loop(holds,
                   [](const auto& v) { return std::vector<Variable>{reduce_sum(v[0], {0})}; },
                   {x_});
      },
      ThrowsMessage<Error>(HasSubstr("[while] its body makes 'x' float32[3], but it is float32[2, "
                                     "3] at first; the values of a loop keep dtype and rank")));
  EXPECT_THAT(
      [&] {
        while_loop(holds, [](const auto& v) { return std::vector<Variable>{v[0], v[0]}; }, {x_});
      },
      ThrowsMessage<Error>(HasSubstr("its body gives 2 value(s), but it has 1")));
  EXPECT_THAT(
      [&] {
        while_loop([&](const auto& v) { return v[0]; }, [](const auto& v) { return v; }, {x_});
      },
      ThrowsMessage<Error>(
          HasSubstr("its condition gives float32[2, 3]; give one element of bool")));
  EXPECT_THAT(
      [&] {
        const Variable state(main_.impl(), random_state(*main_.impl()));
        while_loop(holds,
                   [&](const std::vector<Variable>& v) {
                     const Variable drawn = OpCall<Variable>("dropout")
                                                .input("x", v[0])
                                                .input("state", state)
                                                .attr("offset", std::int64_t{0})
                                                .result();
                     return std::vector<Variable>{drawn};
                   },
                   {x_});
      },
      ThrowsMessage<Error>(HasSubstr("draws random numbers from one state in each iteration")));
}

}  // namespace
}  // namespace loci::program
