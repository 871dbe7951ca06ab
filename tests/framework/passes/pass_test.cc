#include "framework/passes/pass.h"

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
