#include "framework/program/block_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/layers.hpp>
#include <loci/ops.hpp>

#include "framework/program/control_flow.h"

namespace loci::program {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class BlockBuilderTest : public ::testing::Test {
 protected:
  Program main_;
  Program startup_;
  ProgramGuard guard_{main_, startup_};
  Variable x_ = data("x", {2, 2}, kFloat32);
};

TEST_F(BlockBuilderTest, OperatorsGoIntoTheInnermostBlock) {
  EXPECT_EQ(BlockBuilder::active(), nullptr);
  BlockBuilder outer(main_.impl());
  const Variable y = relu(x_);
  {
    BlockBuilder inner(outer.program());
    EXPECT_EQ(inner.root(), main_.impl());
    const Variable z = elementwise_add(y, x_);
    EXPECT_EQ(z.program(), inner.program());
    EXPECT_EQ(inner.program()->main().arguments.size(), 2);
  }
  EXPECT_EQ(fill_constant({1}, 0).program(), outer.program());
  EXPECT_TRUE(main_.impl()->main().ops.empty());
}

TEST_F(BlockBuilderTest, AProgramGuardHidesIt) {
  const BlockBuilder block(main_.impl());
  const Program other;
  const ProgramGuard guard(other);
  EXPECT_EQ(BlockBuilder::active(), nullptr);
  EXPECT_EQ(fill_constant({1}, 0).program(), other.impl());
}

// The state around a block may be made while the block is built.
TEST_F(BlockBuilderTest, NoOperatorTakesTheNameOfWhatItCaptures) {
  BlockBuilder outer(main_.impl(), BlockDraws{});
  BlockBuilder middle(outer.program(), BlockDraws{});
  BlockBuilder inner(middle.program(), BlockDraws{});
  const Variable drawn = uniform_random({2});
  EXPECT_EQ(drawn.program(), inner.program());
  const Block& inside = inner.program()->main();
  ASSERT_EQ(inside.ops.size(), 2);
  EXPECT_EQ(inside.ops[0].name, "random_fold_in_2");
  EXPECT_EQ(inside.var(inside.arguments[0]).name, "random_fold_in_1.out");
}

TEST_F(BlockBuilderTest, ParametersAndRandomStateAreOutside) {
  BlockBuilder block(main_.impl());
  layers::fc(relu(x_), 3, "layer");
  uniform_random({2});
  EXPECT_NE(main_.impl()->main().find("layer.weight"), kNoVar);
  EXPECT_NE(main_.impl()->main().find(kRandomStateName), kNoVar);
  const Block& inside = block.program()->main();
  EXPECT_TRUE(inside.var(inside.find("layer.weight")).persistable);
  EXPECT_FALSE(inside.var(inside.find("layer.weight")).trainable);
  EXPECT_EQ(inside.arguments.size(), 4);
}

// Whose offsets count from 0, whatever is drawn outside.
TEST_F(BlockBuilderTest, ABlockMayDrawFromAStateOfItsOwn) {
  uniform_random({2});
  BlockBuilder outer(main_.impl(), BlockDraws{.offset = 4});
  uniform_random({2});
  uniform_random({2});
  {
    BlockBuilder inner(outer.program(), BlockDraws{.offset = 2, .first = 3, .counts = true});
    uniform_random({2});
    EXPECT_TRUE(inner.takes_iteration());
    const Block& block = inner.program()->main();
    ASSERT_EQ(block.ops.size(), 2);
    EXPECT_EQ(block.ops[0].type(), "random_fold_in");
    EXPECT_EQ(block.ops[0].inputs[1].size(), 1) << "the iteration";
    EXPECT_EQ(std::get<std::int64_t>(block.ops[0].attributes.at("offset")), 2);
    EXPECT_EQ(std::get<std::int64_t>(block.ops[1].attributes.at("offset")), 3);
    const ClosedBlock closed = inner.close({}, false);
    EXPECT_NE(closed.iteration, kNoVar);
  }
  const Block& block = outer.program()->main();
  ASSERT_EQ(block.ops.size(), 3);
  EXPECT_EQ(std::get<std::int64_t>(block.ops[0].attributes.at("offset")), 4);
  EXPECT_TRUE(block.ops[0].inputs[1].empty()) << "it runs once";
  EXPECT_EQ(block.ops[1].inputs[0], block.ops[0].outputs[0]);
  EXPECT_EQ(std::get<std::int64_t>(block.ops[2].attributes.at("offset")), 1);
  EXPECT_EQ(outer.program()->random_offset(), 2);
  outer.close({}, false);
  EXPECT_EQ(main_.impl()->random_offset(), 1) << "the blocks used up none";
}

TEST_F(BlockBuilderTest, BlocksOfALoopCountItsIterationsIfOneDraws) {
  const auto loop = [&](bool draws) {
    BlockSet set(main_.impl(), BlockDraws{.offset = 1, .counts = true}, /*loop_blocks=*/2);
    set.add({x_.id()}, false, [&](const std::vector<Variable>& v) {
      if (draws) uniform_random({2});
      return std::vector<Variable>{reduce_sum(v[0])};
    });
    set.add({x_.id()}, false, [&](const auto& v) { return v; });
    EXPECT_EQ(set.takes_iteration(), draws);
    return set.take();
  };
  const auto counted = loop(true);
  EXPECT_EQ(counted[1]->arguments.size(), 3) << "x, the iteration, the random state";
  EXPECT_EQ(counted[1]->results.size(), 2);
  EXPECT_EQ(counted[1]->ops.back().type(), "scale") << "the next iteration";
  EXPECT_EQ(counted[1]->var(counted[1]->arguments[1]).type, iteration_desc().type);
  EXPECT_EQ(counted[0]->arguments.size(), 3);
  EXPECT_EQ(loop(false)[1]->arguments.size(), 1);
}

TEST_F(BlockBuilderTest, NamesOfOperatorsAreUniqueInTheProgram) {
  relu(x_);
  BlockSet set(main_.impl());
  for (int i = 0; i < 2; ++i) {
    set.add({}, true, [&](const auto&) { return std::vector<Variable>{relu(x_)}; });
  }
  relu(x_);
  const auto blocks = set.take();
  EXPECT_EQ(blocks[0]->ops[0].name, "relu_1");
  EXPECT_EQ(blocks[1]->ops[0].name, "relu_2");
  EXPECT_EQ(main_.impl()->main().ops.back().name, "relu_3");
}

TEST_F(BlockBuilderTest, BlocksOfOneOperatorTakeTheSameArguments) {
  const Variable y = data("y", {2}, kInt64);
  const Variable state = create_persistable({1}, kFloat32, initializer::constant(0), "state");
  BlockSet set(main_.impl());
  using List = std::vector<Variable>;
  set.add({x_.id()}, true, [&](const List& v) { return List{relu(v[0]), y}; });
  set.add({x_.id()}, true, [&](const List& v) { return List{state, v[0]}; });
  const auto blocks = set.take();
  EXPECT_THAT(set.captures(), ElementsAre(y.id(), state.id()));
  for (const auto& block : blocks) ASSERT_EQ(block->arguments.size(), 3);
  EXPECT_EQ(blocks[0]->var(blocks[0]->arguments[1]).name, "y");
  EXPECT_EQ(blocks[1]->var(blocks[1]->arguments[1]).type.dtype, kInt64);
  EXPECT_FALSE(blocks[0]->var(blocks[0]->arguments[2]).persistable) << "it does not use it";
  EXPECT_EQ(blocks[1]->ops.back().type(), "assign") << "state is returned as a copy";
}

TEST_F(BlockBuilderTest, RefusesTooManyLevels) {
  const std::function<Variable(int)> nest = [&](int levels) {
    BlockBuilder block(BlockBuilder::active() == nullptr ? main_.impl()
                                                         : BlockBuilder::active()->program());
    return levels == 0 ? relu(x_) : nest(levels - 1);
  };
  EXPECT_NO_THROW(nest(kMostBlockDepth - 1));
  EXPECT_THAT([&] { nest(kMostBlockDepth); },
              ThrowsMessage<Error>(HasSubstr("blocks are nested deeper than 24")));
  EXPECT_EQ(BlockBuilder::active(), nullptr);
}

}  // namespace
}  // namespace loci::program
