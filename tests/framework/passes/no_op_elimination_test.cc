#include <ctime>
#include <loci/control_flow.hpp>
#include <loci/executor.hpp>

#include "framework/program/control_flow.h"
#include "tests/framework/passes/pass_fixture.h"

namespace loci::passes {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class NoOpEliminationTest : public PassTest {
 protected:
  std::vector<std::string> left(const std::vector<Variable>& fetches) {
    run_pass("no_op_elimination", block(), context(fetches));
    return types();
  }
  static void update(const Variable& w) {
    (void)OpCall<Variable>("sgd")
        .input("param", w)
        .input("grad", full_like(w, 1.0))
        .input("learning_rate", fill_constant({}, 0.5))
        .result();
  }
  static Variable parameter() {
    return create_parameter({2}, kFloat32, initializer::constant(1), "w");
  }

  const Variable x_ = data("x", {2, 3}, kFloat32);
};

TEST_F(NoOpEliminationTest, ReadersReadWhatItRead) {
  const Variable read = relu(reshape(assign(transpose(x_, {0, 1})), {2, 3}));
  EXPECT_THAT(left({read}), ElementsAre("relu"));
  EXPECT_THAT(block().ops[0].inputs[0], ElementsAre(x_.id()));
}

TEST_F(NoOpEliminationTest, TransposesThatCancelAreNone) {
  const Variable first = transpose(x_, {1, 0});
  const Variable read = relu(transpose(first, {1, 0}));
  EXPECT_THAT(left({read}), ElementsAre("transpose", "relu"));
  EXPECT_THAT(block().ops[1].inputs[0], ElementsAre(x_.id()));
  run_pass("dead_code_elimination", block(), context({read}));
  EXPECT_THAT(types(), ElementsAre("relu"));
}

TEST_F(NoOpEliminationTest, WhatIsFetchedStays) {
  const Variable fetched = assign(x_);
  EXPECT_THAT(left({fetched}), ElementsAre("assign"));
}

TEST_F(NoOpEliminationTest, StateThatStaysIsRead) {
  const Variable w = parameter();
  const Variable read = relu(assign(w));
  EXPECT_THAT(left({read}), ElementsAre("relu"));
  EXPECT_THAT(block().ops[0].inputs[0], ElementsAre(w.id()));
}

TEST_F(NoOpEliminationTest, StateThatIsUpdatedIsCopied) {
  const Variable w = parameter();
  const Variable before = assign(w);
  update(w);
  const Variable read = relu(before);
  EXPECT_THAT(left({read}), ElementsAre("assign", "full_like", "fill_constant", "sgd", "relu"));
  EXPECT_THAT(block().ops.back().inputs[0], ElementsAre(before.id()));
}

// So does one of a chain of them, whose others go.
TEST_F(NoOpEliminationTest, ACopyOfStateIsCopiedOnce) {
  const Variable w = parameter();
  const Variable before = assign(w);
  const Variable again = assign(before);
  update(w);
  const Variable read = relu(again);
  EXPECT_THAT(left({read}), ElementsAre("assign", "full_like", "fill_constant", "sgd", "relu"));
  EXPECT_THAT(block().ops.back().inputs[0], ElementsAre(before.id()));
}

TEST_F(NoOpEliminationTest, InitialisersStay) {
  const Variable w = parameter();
  program::Block& startup = startup_.impl()->main();
  const std::size_t before = startup.ops.size();
  PassContext made;
  made.kept.resize(startup.vars.size());
  run_pass("no_op_elimination", startup, made);
  EXPECT_EQ(startup.ops.size(), before);
}

TEST_F(NoOpEliminationTest, AGuardOfItsOwnBringsTheValueThere) {
  Variable moved;
  {
    const DeviceGuard elsewhere("sim:1");
    moved = assign(assign(x_));
  }
  const Variable read = relu(moved);
  EXPECT_THAT(left({read}), ElementsAre("assign", "relu"));
}

TEST_F(NoOpEliminationTest, DropoutGoesUnlessItsMaskIsRead) {
  const Variable out = relu(dropout(x_, 0.5, /*is_test=*/true));
  EXPECT_THAT(left({out}), ElementsAre("relu"));
}

TEST_F(NoOpEliminationTest, DropoutWhoseMaskIsReadStays) {
  const std::vector<Variable> both =
      OpCall<Variable>("dropout").input("x", x_).attr("is_test", true).results();
  const Variable read = relu(both[0]);
  const Variable mask = cast(both[1], kFloat32);
  EXPECT_THAT(left({read, mask}), ElementsAre("dropout", "relu", "cast"));
}

TEST_F(NoOpEliminationTest, DropoutWhoseMaskIsFetchedStays) {
  const std::vector<Variable> both =
      OpCall<Variable>("dropout").input("x", x_).attr("is_test", true).results();
  const Variable read = relu(both[0]);
  EXPECT_THAT(left({read, both[1]}), ElementsAre("dropout", "relu"));
}

TEST_F(NoOpEliminationTest, ASecondUseOfAnInputIsReplacedToo) {
  const Variable same = assign(x_);
  const Variable sum = elementwise_add(same, same);
  EXPECT_THAT(left({sum}), ElementsAre("elementwise_add"));
  EXPECT_THAT(block().ops[0].inputs[0], ElementsAre(x_.id()));
  EXPECT_THAT(block().ops[0].inputs[1], ElementsAre(x_.id()));
}

TEST_F(NoOpEliminationTest, WorksInBlocksOfControlFlow) {
  const Variable flag = data("flag", {1}, kBool);
  const Variable out = cond(
      flag, [&] { return relu(assign(x_)); }, [&] { return assign(x_); });
  run_passes(block(), context({out}), {});
  const program::Operator& branches = block().ops[0];
  ASSERT_EQ(branches.blocks.size(), 2U);
  ASSERT_EQ(branches.blocks[0]->ops.size(), 1U);
  EXPECT_EQ(branches.blocks[0]->ops[0].type(), "relu");
  ASSERT_EQ(branches.blocks[1]->ops.size(), 1U) << "what a block gives is made in it";
}

// The second iteration must not see what the first one left.
TEST_F(NoOpEliminationTest, StateThatABlockUpdatesIsCopiedThere) {
  using Values = std::vector<Variable>;
  const Variable w = parameter();
  const Values out = while_loop(
      [](const Values& v) { return less_than(v[0], full_like(v[0], 2.0)); },
      [&](const Values& v) {
        const Variable before = assign(w);
        update(w);
        return Values{elementwise_add(v[0], full_like(v[0], 1.0)), elementwise_add(v[1], before)};
      },
      {fill_constant({1}, 0.0, kInt32), fill_constant({2}, 0.0)});
  std::vector<std::vector<float>> results;
  for (const CompileOptions& options : {CompileOptions(), CompileOptions::none()}) {
    Executor executor("cpu", options, Scope());
    executor.run(startup_);
    results.push_back(executor.run(main_, {}, {out[1]})[0].to_vector<float>());
  }
  EXPECT_THAT(results[0], ElementsAre(1.5F, 1.5F));
  EXPECT_EQ(results[0], results[1]);
}

// Four operators of five go. Of a program ten times as long the processor's time, which other work
// of the machine does not lengthen, is well below a hundred times as much.
TEST_F(NoOpEliminationTest, TimeIsLinearInTheOperators) {
  const auto seconds = [](int operators) {
    Program main;
    Program startup;
    const ProgramGuard guard(main, startup);
    Variable x = data("x", {2, 2}, kFloat32);
    const Variable one = fill_constant({2, 2}, 1.0);
    for (int i = 0; i < operators; ++i) {
      switch (i % 5) {
        case 0: x = relu(x); break;
        case 1: x = transpose(x, {1, 0}); break;
        case 2: x = transpose(x, {1, 0}); break;
        case 3: x = elementwise_mul(x, one); break;
        default: x = reshape(x, {2, 2});
      }
    }
    program::Block& block = main.impl()->main();
    PassContext made;
    made.kept.resize(block.vars.size());
    const std::clock_t begin = std::clock();
    run_pass("no_op_elimination", block, made);
    const std::clock_t end = std::clock();
    EXPECT_LE(block.ops.size(), static_cast<std::size_t>(operators) * 2 / 5 + 1);
    return static_cast<double>(end - begin) / CLOCKS_PER_SEC;
  };
  const double few = std::min(seconds(10'000), seconds(10'000));
  const double many = std::min(seconds(100'000), seconds(100'000));
  RecordProperty("ns_per_operator", std::to_string(many * 1e4));
  EXPECT_LT(many, 40 * few + 0.05);
}

TEST_F(NoOpEliminationTest, NothingIsLeftOfNothing) { EXPECT_THAT(left({}), IsEmpty()); }

}  // namespace
}  // namespace loci::passes
