#include "framework/autograd/gradient_block.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/control_flow.hpp>
#include <loci/ops.hpp>

namespace loci::autograd {
namespace {

using program::Block;
using program::Operator;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

class GradientBlockTest : public ::testing::Test {
 protected:
  // The first block of cond(on, branch, ...).
  template <class F>
  const Block& block_of(const F& branch) {
    cond(on_, branch, [&] { return x_; });
    return *main_.impl()->main().ops.back().blocks[0];
  }
  static std::vector<std::string> types(const Block& block) {
    std::vector<std::string> list;
    for (const Operator& op : block.ops) list.push_back(op.type());
    return list;
  }

  Program main_;
  Program startup_;
  ProgramGuard guard_{main_, startup_};
  Variable on_ = data("on", {1}, kBool);
  Variable x_ = data("x", {2}, kFloat32);
};

TEST_F(GradientBlockTest, ComputesAgainOnlyWhatItNeeds) {
  const Block& block = block_of([&] { return elementwise_add(tanh(x_), x_); });
  const BlockPtr gradient = gradient_block(block, {{0}, {0}}, *main_.impl());
  EXPECT_EQ(gradient->arguments.size(), 2);
  EXPECT_EQ(gradient->results.size(), 1);
  EXPECT_THAT(types(*gradient), Contains("tanh"));
  const BlockPtr zeros = zeros_block(block, {{0}, {0}}, *main_.impl());
  EXPECT_EQ(types(*zeros), std::vector<std::string>{"full_like"});
}

TEST_F(GradientBlockTest, WhatDoesNotDependHasZeros) {
  const Variable y = data("y", {2}, kFloat32);
  const Block& block = block_of([&] {
    relu(y);
    return tanh(x_);
  });
  const BlockPtr gradient = gradient_block(block, {{0}, {0, 1}}, *main_.impl());
  EXPECT_EQ(gradient->results.size(), 2);
  EXPECT_THAT(types(*gradient), Contains("full_like"));
  EXPECT_THAT(types(*gradient), Not(Contains("relu")));
}

TEST_F(GradientBlockTest, AddsToWhatIsGiven) {
  const Block& block = block_of([&] { return tanh(x_); });
  const BlockPtr gradient = gradient_block(block, {{0}, {}, {0}}, *main_.impl());
  EXPECT_EQ(gradient->arguments.size(), 3);
  EXPECT_EQ(gradient->ops.back().type(), "elementwise_add");
}

TEST_F(GradientBlockTest, RefusesToChangeStateAgain) {
  const Variable scale = create_parameter({2}, kFloat32, initializer::constant(1), "scale");
  const Variable mean = create_persistable({2}, kFloat32, initializer::constant(0), "mean");
  const Variable image = data("image", {3, 2}, kFloat32);
  const Block& block =
      block_of([&] { return reduce_sum(tanh(batch_norm(image, scale, scale, mean, mean)), {0}); });
  EXPECT_THAT(
      [&] {
        gradient_block(block, {{0}, {0}}, *main_.impl());
      },
      ThrowsMessage<Error>(HasSubstr("in a branch changes 'mean' in place")));
}

TEST_F(GradientBlockTest, DropsArguments) {
  const Variable y = data("y", {2}, kFloat32);
  const Block& block = block_of([&] {
    relu(y);
    return tanh(x_);
  });
  Block copy = block;
  copy.ops.erase(copy.ops.begin());
  EXPECT_FALSE(uses_argument(copy, 0));
  EXPECT_TRUE(uses_argument(copy, 1));
  const BlockPtr without = without_arguments(copy, {false, true});
  EXPECT_EQ(without->arguments.size(), 1);
  EXPECT_EQ(without->find("y"), program::kNoVar);
  const BlockPtr passing = passing_block(block, {block.arguments[1]});
  EXPECT_EQ(passing->results, passing->arguments);
  EXPECT_EQ(zeros_like_last(block, {block.arguments[0]}, *main_.impl())->ops[0].type(),
            "full_like");
}

}  // namespace
}  // namespace loci::autograd
