#include "framework/passes/pass.h"

#include <loci/control_flow.hpp>

#include "framework/program/control_flow.h"
#include "tests/framework/passes/pass_fixture.h"

namespace loci::passes {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

using PassListTest = PassTest;

TEST_F(PassListTest, RunsUpToTheNamedOne) {
  const Variable one = scale(fill_constant({1}, 1.0), 2.0);
  run_passes(block(), context({one}), {}, "constant_folding");
  EXPECT_THAT(types(), ElementsAre("fill_constant", "assign_value"));
  run_passes(block(), context({one}), {});
  EXPECT_THAT(types(), ElementsAre("assign_value"));
}

TEST_F(PassListTest, LeavesOutTheDisabledOnes) {
  const Variable one = scale(fill_constant({1}, 1.0), 2.0);
  run_passes(block(), context({one}), {"constant_folding"});
  EXPECT_THAT(types(), ElementsAre("fill_constant", "scale"));
}

// v grows by a row in each iteration; so what a pass knows of v before the loop is not known in it.
TEST_F(PassListTest, SeesInALoopWhatHoldsAtAnyIteration) {
  using Values = std::vector<Variable>;
  const Variable grown = data("v", {2}, kFloat32);
  const Values out =
      while_loop([](const Values& v) { return less_than(v[0], full_like(v[0], 9.0)); },
                 [](const Values& v) {
                   return Values{elementwise_add(v[0], loci::shape(v[1])),
                                 concat(Values{v[1], fill_constant({1}, 1.0)})};
                 },
                 {fill_constant({1}, 0.0, kInt32), grown});
  run_passes(block(), context(out), {});
  const program::Block& body = *block().ops.back().blocks[1];
  EXPECT_EQ(body.var(body.arguments[1]).type.shape, (Shape{kDynamicDim}));
  EXPECT_TRUE(std::any_of(body.ops.begin(), body.ops.end(),
                          [](const program::Operator& op) { return op.type() == "shape"; }));
}

// Seen from the gradient as well, whose third block takes what the loop grew to.
TEST_F(PassListTest, SeesInTheGradientOfALoopWhatHoldsAtAnyIteration) {
  using Values = std::vector<Variable>;
  const Variable x = data("x", {2}, kFloat32);
  const Values out = while_loop(
      [](const Values& v) { return less_than(v[0], full_like(v[0], 3.0)); },
      [](const Values& v) {
        const Variable count = cast(loci::shape(v[1]), kFloat32);
        return Values{elementwise_add(v[0], full_like(v[0], 1.0)),
                      concat(Values{elementwise_mul(v[1], count), fill_constant({1}, 1.0)})};
      },
      {fill_constant({1}, 0.0, kInt32), x});
  const Variable loss = reduce_sum(out[1]);
  const Values grads = gradients(loss, {x});
  run_passes(block(), context({loss, grads[0]}), {});
  const auto is_gradient = [](const program::Operator& op) { return op.type() == "while_grad"; };
  const auto found = std::find_if(block().ops.begin(), block().ops.end(), is_gradient);
  ASSERT_NE(found, block().ops.end());
  for (const std::size_t k : {1U, 2U}) {
    const program::Block& inner = *found->blocks[k];
    EXPECT_EQ(inner.var(inner.arguments[1]).type.shape, (Shape{kDynamicDim}));
    EXPECT_TRUE(std::any_of(inner.ops.begin(), inner.ops.end(),
                            [](const program::Operator& op) { return op.type() == "shape"; }))
        << "block " << k;
  }
}

TEST_F(PassListTest, LeavesALoopAloneThatDoesNotFitItself) {
  using Values = std::vector<Variable>;
  const Variable x = data("x", {-1}, kFloat32);
  while_loop([](const Values& v) { return less_than(reduce_sum(v[0]), full_like(v[0], 9.0)); },
             [](const Values& v) { return Values{elementwise_add(v[0], fill_constant({2}, 1.0))}; },
             {x});
  block().var(x.id()).type.shape = Shape{3};
  const std::vector<program::Operator> before = block().ops;
  EXPECT_NO_THROW(run_passes(block(), context({}), {"constant_folding"}));
}

TEST_F(PassListTest, RefusesAnUnknownName) {
  EXPECT_THAT([&] { run_passes(block(), context({}), {"constant_foldin"}); },
              ThrowsMessage<Error>(HasSubstr("[passes] there is no pass 'constant_foldin'; did you "
                                             "mean 'constant_folding'?")));
  EXPECT_THAT([&] { run_passes(block(), context({}), {}, "x"); },
              ThrowsMessage<Error>(HasSubstr("there is no pass 'x'")));
}

TEST_F(PassListTest, RandomOpsAndInitialisersAreNotPure) {
  const Variable x = data("x", {2}, kFloat32);
  (void)relu(x);
  (void)uniform_random({2});
  (void)create_parameter({2}, kFloat32, initializer::constant(1), "w");
  EXPECT_TRUE(is_pure(block().ops[0], block()));
  EXPECT_FALSE(is_pure(block().ops[1], block()));
  EXPECT_FALSE(is_pure(startup_.impl()->main().ops[0], startup_.impl()->main()));
}

}  // namespace
}  // namespace loci::passes
