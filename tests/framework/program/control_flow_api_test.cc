#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/control_flow.hpp>
#include <loci/ops.hpp>

#include "framework/program/program_impl.h"

namespace loci {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class ControlFlowApiTest : public ::testing::Test {
 protected:
  std::string types() const {
    std::string text;
    for (const auto& op : main_.impl()->main().ops) text += op.type() + " ";
    return text;
  }

  Program main_;
  Program startup_;
  ProgramGuard guard_{main_, startup_};
  Variable on_ = data("on", {1}, kBool);
  Variable x_ = data("x", {2}, kFloat32);
  const std::function<Variable()> one_ = [this] { return relu(x_); };
  const std::function<Variable()> two_ = [this] { return tanh(x_); };
};

TEST_F(ControlFlowApiTest, BranchesReturnOneValueOrAList) {
  const Variable one = cond(on_, one_, two_);
  EXPECT_EQ(one.shape(), Shape{2});
  const std::vector<Variable> list = cond(
      on_,
      [&] {
        return std::vector<Variable>{x_, x_};
      },
      [&] {
        return std::vector<Variable>{one, x_};
      });
  EXPECT_EQ(list.size(), 2);
  EXPECT_EQ(case_lists_of({{on_,
                            [&] {
                              return std::vector<Variable>{x_, x_};
                            }}},
                          [&] {
                            return std::vector<Variable>{x_, one};
                          })
                .size(),
            2);
  EXPECT_EQ(types(), "case case case ");
}

// Whatever they draw, also what is refused.
TEST_F(ControlFlowApiTest, EachTakesOneNumberOfWhatIsDrawn) {
  using Values = std::vector<Variable>;
  const auto offset = [&] { return main_.impl()->random_offset(); };
  cond(
      on_, [&] { return dropout(dropout(x_)); }, one_);
  EXPECT_EQ(offset(), 1);
  switch_case(cast(on_, kInt64), {{0, one_}, {1, two_}});
  EXPECT_EQ(offset(), 2);
  const Values looped = while_loop([&](const Values&) { return on_; },
                                   [](const Values& v) { return Values{dropout(v[0])}; }, {x_});
  EXPECT_EQ(looped.size(), 1) << "without the iteration";
  EXPECT_EQ(offset(), 3);
  const ScanResult<Variable> scanned = scan(
      [](const Values& carry, const Values&) {
        return ScanResult<Variable>{{dropout(carry[0])}, {carry[0]}};
      },
      {x_}, {}, {3});
  EXPECT_EQ(scanned.carry.size(), 1);
  EXPECT_EQ(scanned.ys.size(), 1);
  EXPECT_EQ(offset(), 4);
  conditional_block(on_, [&] { return Values{one_()}; });
  EXPECT_EQ(offset(), 5);
  EXPECT_THROW(
      while_loop([&](const Values&) { return x_; }, [](const Values& v) { return v; }, {x_}),
      Error);
  EXPECT_EQ(offset(), 5);
  case_of({{on_, one_}});
  EXPECT_EQ(offset(), 5) << "there is nothing to choose";
  EXPECT_NO_THROW(main_.verify());
}

TEST_F(ControlFlowApiTest, TheLastBranchIsTheDefault) {
  case_of({{on_, one_}, {on_, two_}, {on_, one_}});
  const program::Operator& op = main_.impl()->main().ops.back();
  EXPECT_EQ(op.inputs[0].size(), 2);
  EXPECT_EQ(op.blocks.size(), 3);
  const Variable index = data("index", {1}, kInt64);
  switch_case(index, {{1, one_}, {2, two_}});
  EXPECT_EQ(main_.impl()->main().ops.back().blocks.size(), 2);
}

TEST_F(ControlFlowApiTest, RefusesWhatIsNoPredicate) {
  EXPECT_THAT([&] { cond(x_, one_, two_); },
              ThrowsMessage<Error>(
                  HasSubstr("[case] predicate 'x' is float32[2]; give one element of bool")));
  const Variable many = data("many", {2}, kBool);
  EXPECT_THAT([&] { conditional_block(many, [&] { return std::vector<Variable>{x_}; }); },
              ThrowsMessage<Error>(HasSubstr("predicate 'many' is bool[2]; give one element")));
  EXPECT_THAT(
      [&] {
        switch_case(x_, {{1, one_}}, two_);
      },
      ThrowsMessage<Error>(HasSubstr("[switch_case] index 'x' is float32[2]; give one")));
}

TEST_F(ControlFlowApiTest, RefusesBranchesThatDoNotMatch) {
  using List = std::vector<Variable>;
  EXPECT_THAT(
      [&] {
        cond(
            on_, [&] { return List{x_}; },
            [&] {
              return List{x_, x_};
            });
      },
      ThrowsMessage<Error>(HasSubstr("branch 1 gives 2 result(s), but branch 0 gives 1")));
  EXPECT_THAT([&] { case_of(std::vector<std::pair<Variable, Branch<Variable>>>{}); },
              ThrowsMessage<Error>(HasSubstr("[case] has no branches; give at least one")));
  const Variable index = data("index", {1}, kInt64);
  EXPECT_THAT(
      [&] {
        switch_case(index, {{4, one_}, {4, two_}});
      },
      ThrowsMessage<Error>(HasSubstr("the key 4 occurs twice")));
  EXPECT_THAT(
      [&] {
        case_of({{on_, Branch<Variable>()}}, one_);
      },
      ThrowsMessage<Error>(HasSubstr("a branch has no function")));
  EXPECT_EQ(types(), "") << "a refused operator leaves nothing";
}

TEST_F(ControlFlowApiTest, ValuesOfABranchStayInIt) {
  Variable inside;
  cond(
      on_, [&] { return inside = relu(x_); }, two_);
  EXPECT_THAT([&] { relu(inside); },
              ThrowsMessage<Error>(HasSubstr("belongs to a branch of control flow that is "
                                             "complete; return it from that branch")));
  EXPECT_THAT(
      [&] {
        cond(
            on_, [&] { return relu(inside); }, two_);
      },
      ThrowsMessage<Error>(HasSubstr("belongs to another program, or to a branch")));
}

TEST_F(ControlFlowApiTest, LoopsNeedValuesAndALimit) {
  const auto holds = [&](const std::vector<Variable>&) { return on_; };
  const auto same = [](const std::vector<Variable>& values) { return values; };
  EXPECT_THAT([&] { while_loop(holds, same, {}); },
              ThrowsMessage<Error>(HasSubstr("[while] has no values")));
  EXPECT_THAT([&] { while_loop(holds, same, {x_}, {-1}); },
              ThrowsMessage<Error>(HasSubstr("max_iterations is -1; give a positive number")));
}

TEST_F(ControlFlowApiTest, GuardsHoldInBranches) {
  cond(
      on_,
      [&] {
        const DeviceGuard device("sim:1");
        return relu(x_);
      },
      two_);
  const program::Operator& op = main_.impl()->main().ops.back();
  EXPECT_EQ(op.blocks[0]->ops[0].guard, "sim:1");
  EXPECT_EQ(op.blocks[1]->ops[0].guard, "");
  EXPECT_EQ(op.guard, "");
}

}  // namespace
}  // namespace loci
