#include "framework/autograd/block_gradient.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/control_flow.hpp>
#include <loci/ops.hpp>

namespace loci {
namespace {

using program::Operator;
using program::Role;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Values = std::vector<Variable>;

// Values are checked against differences in tests/integration.
class BlockGradientTest : public ::testing::Test {
 protected:
  BlockGradientTest() { x_.set_stop_gradient(false); }
  const Operator* backward(const std::string& type) const {
    for (const Operator& op : main_.impl()->main().ops) {
      if (op.role == Role::kBackward && op.type() == type) return &op;
    }
    return nullptr;
  }

  Program main_;
  Program startup_;
  ProgramGuard guard_{main_, startup_};
  Variable on_ = data("on", {1}, kBool);
  Variable x_ = data("x", {2}, kFloat32);
};

TEST_F(BlockGradientTest, OfABranchIsABranchOfTheSamePredicate) {
  const Variable y = data("y", {2}, kFloat32);
  const DeviceGuard device("cpu");
  const Variable out = cond(
      on_, [&] { return elementwise_mul(x_, y); },
      [&] {
        relu(y);
        return tanh(x_);
      });
  gradients(reduce_sum(out), {x_});
  const Operator* gradient = backward("case");
  ASSERT_NE(gradient, nullptr);
  EXPECT_EQ(gradient->inputs[0], program::Slot{on_.id()});
  EXPECT_EQ(gradient->scope, "case_grad");
  EXPECT_EQ(gradient->origin, "case_0");
  EXPECT_EQ(gradient->guard, "cpu");
  EXPECT_EQ(gradient->outputs[0].size(), 1) << "y needs none";
  EXPECT_NO_THROW(main_.verify());
}

TEST_F(BlockGradientTest, OfALoopRunsItAgain) {
  const Variable w = create_parameter({2}, kFloat32, initializer::constant(1), "w");
  const Values last =
      while_loop([&](const Values&) { return on_; },
                 [&](const Values& v) { return Values{elementwise_mul(v[0], w)}; }, {x_}, {7});
  gradients(reduce_sum(last[0]), {x_, w});
  const Operator* gradient = backward("while_grad");
  ASSERT_NE(gradient, nullptr);
  EXPECT_EQ(gradient->blocks.size(), 3);
  EXPECT_EQ(gradient->outputs[0].size(), 2);
  EXPECT_EQ(std::get<std::int64_t>(gradient->attributes.at("max_iterations")), 7);
  EXPECT_NO_THROW(main_.verify());
}

TEST_F(BlockGradientTest, RefusesASecondGradientOfALoop) {
  const Values last = while_loop([&](const Values&) { return on_; },
                                 [&](const Values& v) { return Values{tanh(v[0])}; }, {x_});
  const Variable slope = gradients(reduce_sum(last[0]), {x_}).front();
  EXPECT_THAT([&] { gradients(reduce_sum(slope), {x_}); },
              ThrowsMessage<Error>(HasSubstr("'while_grad_0' is the gradient of a loop")));
}

TEST_F(BlockGradientTest, RefusesALoopThatChangesState) {
  const Variable state = create_persistable({2}, kFloat32, initializer::constant(0), "state");
  const Variable rate = create_persistable({}, kFloat32, initializer::constant(0), "rate");
  const Values last = while_loop([&](const Values&) { return on_; },
                                 [&](const Values& v) {
                                   sgd(state, v[0], rate);
                                   return Values{tanh(v[0])};
                                 },
                                 {x_});
  EXPECT_THAT([&] { gradients(reduce_sum(last[0]), {x_}); },
              ThrowsMessage<Error>(HasSubstr("the loop 'while_0' changes 'state' in place")));
}

}  // namespace
}  // namespace loci
