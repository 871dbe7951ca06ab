#include "framework/program/inlining.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/control_flow.hpp>
#include <loci/ops.hpp>
#include <map>

namespace loci::program {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class InliningTest : public ::testing::Test {
 protected:
  void know(const Variable& variable, const Tensor& value) { known_[variable.id()] = value; }
  static Tensor truth(bool value) { return Tensor::from<bool>({value}, {1}); }

  std::vector<Operator> inlined(bool copies_selected = false) {
    Inliner inliner(
        block(), [this](VarId id) { return known_[id]; }, copies_selected);
    std::vector<Operator> operators;
    for (const Operator& op : block().ops) inliner.add(op, &operators);
    has_replaced_ = inliner.has_replaced();
    return operators;
  }
  std::vector<std::string> types(bool copies_selected = false) {
    std::vector<std::string> list;
    for (const Operator& op : inlined(copies_selected)) list.push_back(op.type());
    return list;
  }
  Block& block() { return main_.impl()->main(); }

  Program main_;
  Program startup_;
  ProgramGuard guard_{main_, startup_};
  Variable on_ = data("on", {1}, kBool);
  Variable x_ = data("x", {2}, kFloat32);
  std::map<VarId, Tensor> known_;
  bool has_replaced_ = false;
};

TEST_F(InliningTest, LeavesWhatIsNotKnown) {
  cond(
      on_, [&] { return relu(x_); }, [&] { return tanh(x_); });
  EXPECT_THAT(types(), ElementsAre("case"));
  EXPECT_FALSE(has_replaced_);
}

TEST_F(InliningTest, TheBranchComputesTheOutputItself) {
  const Variable y = cond(
      on_, [&] { return relu(tanh(x_)); }, [&] { return x_; });
  sigmoid(y);
  know(on_, truth(true));
  const std::vector<Operator> operators = inlined();
  ASSERT_EQ(operators.size(), 3);
  EXPECT_EQ(operators[0].type(), "tanh");
  EXPECT_EQ(operators[1].outputs[0][0], y.id());
  EXPECT_EQ(operators[0].enclosure->type, "conditional_block");
  EXPECT_EQ(operators[0].enclosure->name, "case_0");
  EXPECT_EQ(operators[2].enclosure, nullptr);
}

TEST_F(InliningTest, WhatIsPassedOnStandsForTheOutput) {
  const Variable y = cond(
      on_, [&] { return relu(x_); }, [&] { return x_; });
  sigmoid(y);
  know(on_, truth(false));
  const std::vector<Operator> operators = inlined();
  ASSERT_EQ(operators.size(), 1);
  EXPECT_EQ(operators[0].inputs[0][0], x_.id());
  EXPECT_EQ(block().find(y.name()), x_.id());
}

TEST_F(InliningTest, BranchesWithinGoTheSameWay) {
  const Variable other = data("other", {1}, kBool);
  cond(
      on_,
      [&] {
        return cond(
            other, [&] { return relu(x_); }, [&] { return exp(x_); });
      },
      [&] { return x_; });
  know(on_, truth(true));
  EXPECT_THAT(types(), ElementsAre("case"));
  EXPECT_TRUE(has_replaced_) << "the outer one is";
  know(other, truth(false));
  const std::vector<Operator> operators = inlined();
  ASSERT_EQ(operators.size(), 1);
  EXPECT_EQ(operators[0].type(), "exp");
  EXPECT_EQ(operators[0].enclosure->outer->name, "case_1");
}

TEST_F(InliningTest, SelectsByAMask) {
  const Variable mask = data("mask", {1}, kInt64);
  const Variable y = select_input(mask, {x_, relu(x_)});
  know(mask, Tensor::from<std::int64_t>({0}, {1}));
  EXPECT_THAT(types(/*copies_selected=*/true), ElementsAre("relu", "assign"));
  EXPECT_THAT(types(), ElementsAre("relu"));
  EXPECT_EQ(block().find(y.name()), x_.id());
  know(mask, Tensor::from<std::int64_t>({2}, {1}));
  EXPECT_THAT([&] { inlined(); },
              ThrowsMessage<Error>(HasSubstr("has 2 inputs, but 'mask' is 2; give one in [0, 2)")));
}

TEST_F(InliningTest, RefusesWhatNoBranchComputed) {
  const Variable y = conditional_block(on_, [&] { return std::vector<Variable>{relu(x_)}; })[0];
  tanh(y);
  know(on_, truth(false));
  EXPECT_THAT([&] { inlined(); }, ThrowsMessage<Error>(HasSubstr(
                                      "[tanh] tanh_0 reads 'conditional_block_0.outs', which "
                                      "conditional_block_0 did not compute")));
  know(on_, Tensor::from<bool>({true, false}, {2}));
  EXPECT_THAT(
      [&] { inlined(); },
      ThrowsMessage<Error>(HasSubstr("decides by 'on', which is bool[2]; give one element")));
}

}  // namespace
}  // namespace loci::program
