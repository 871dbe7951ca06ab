#include "framework/program/peeling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <loci/loci.hpp>
#include <string>
#include <vector>

namespace loci::program {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using ::testing::UnorderedElementsAre;
using Values = std::vector<Variable>;

class PeelingTest : public ::testing::Test {
 protected:
  PeelingTest() {
    const Variable x = loci::data("x", {2}, kFloat32);
    while_loop([](const Values& v) { return less_than(reduce_sum(v[0]), full_like(v[0], 9.0)); },
               [](const Values& v) {
                 return Values{concat(Values{v[0], v[0]})};
               },
               {x}, {3});
  }
  Block& block() { return main_.impl()->main(); }
  std::vector<Operator> peeled(const Operator& loop) {
    Inliner inliner(
        block(), [](VarId) { return Tensor(); }, /*copies_selected=*/false);
    std::vector<Operator> operators;
    peel(loop, block(), inliner, &operators);
    return operators;
  }

  Program main_;
  Program startup_;
  ProgramGuard guard_{main_, startup_};
};

TEST_F(PeelingTest, GivesTheConditionAndABranchWithTheRest) {
  const Operator loop = block().ops.back();
  const std::vector<Operator> operators = peeled(loop);
  std::vector<std::string> types;
  for (const Operator& op : operators) types.push_back(op.type());
  EXPECT_THAT(types, UnorderedElementsAre("reduce_sum", "full_like", "less_than", "case"));
  EXPECT_EQ(types.back(), "case");
  const Operator& branch = operators.back();
  EXPECT_EQ(branch.outputs[0], loop.outputs[0]);
  ASSERT_EQ(branch.blocks.size(), 2U);
  ASSERT_EQ(branch.blocks[0]->ops.size(), 2U);
  EXPECT_EQ(branch.blocks[0]->ops[0].type(), "concat");
  EXPECT_EQ(branch.blocks[0]->ops[1].type(), "while");
  EXPECT_EQ(branch.blocks[0]->ops[1].made, 1);
  EXPECT_TRUE(branch.blocks[1]->ops.empty());
  EXPECT_EQ(branch.blocks[1]->results, branch.blocks[1]->arguments);
}

TEST_F(PeelingTest, CountsIterations) {
  Operator loop = block().ops.back();
  loop.made = 3;
  EXPECT_NO_THROW(check_iterations(loop));
  loop.made = 4;
  EXPECT_THAT([&] { check_iterations(loop); },
              ThrowsMessage<Error>(HasSubstr("has made 3 iterations, as many as max_iterations")));
  loop.attributes["max_iterations"] = std::int64_t{0};
  loop.made = kMostPeeled + 1;
  EXPECT_THAT([&] { check_iterations(loop); },
              ThrowsMessage<Error>(HasSubstr("has changed the shape of its values in 2048")));
}

// Its rest grows with each iteration, so that it may make fewer.
TEST_F(PeelingTest, AGradientMayMakeFewerIterations) {
  const Variable x(main_.impl(), block().find("x"));
  x.set_stop_gradient(false);
  const Variable last(main_.impl(), block().ops.back().outputs[0][0]);
  gradients(reduce_sum(last), {x});
  const auto found = std::find_if(block().ops.begin(), block().ops.end(),
                                  [](const Operator& op) { return op.type() == "while_grad"; });
  ASSERT_NE(found, block().ops.end());
  Operator loop = *found;
  loop.attributes["max_iterations"] = std::int64_t{0};
  loop.made = kMostPeeledGradient;
  EXPECT_NO_THROW(check_iterations(loop));
  ++loop.made;
  EXPECT_THAT([&] { check_iterations(loop); },
              ThrowsMessage<Error>(HasSubstr("has changed the shape of its values in 256")));
}

}  // namespace
}  // namespace loci::program
