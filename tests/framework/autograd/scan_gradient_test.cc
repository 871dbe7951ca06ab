#include "framework/autograd/scan_gradient.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/control_flow.hpp>
#include <loci/layers.hpp>
#include <loci/ops.hpp>

namespace loci {
namespace {

using program::Operator;
using program::Role;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Values = std::vector<Variable>;
using Step = ScanResult<Variable>;

// Values are checked against differences in tests/integration.
class ScanGradientTest : public ::testing::Test {
 protected:
  ScanGradientTest() {
    for (const Variable& x : {h_, xs_}) x.set_stop_gradient(false);
  }
  std::vector<const Operator*> backward() const {
    std::vector<const Operator*> found;
    for (const Operator& op : main_.impl()->main().ops) {
      if (op.role == Role::kBackward && op.type() == "scan") found.push_back(&op);
    }
    return found;
  }

  Program main_;
  Program startup_;
  ProgramGuard guard_{main_, startup_};
  Variable h_ = data("h", {2}, kFloat32);
  Variable xs_ = data("xs", {-1, 2}, kFloat32);
};

TEST_F(ScanGradientTest, IsAScanFromTheOtherEnd) {
  const Variable w = create_parameter({2}, kFloat32, initializer::constant(1), "w");
  const DeviceGuard device("cpu");
  const Step made = scan(
      [&](const Values& carry, const Values& xs) {
        const Variable next = elementwise_mul(elementwise_add(carry[0], xs[0]), w);
        return Step{{next}, {next}};
      },
      {h_}, {xs_});
  const Values grads = gradients(reduce_sum(made.ys[0]), {h_, xs_, w});
  ASSERT_EQ(backward().size(), 2);
  const Operator& again = *backward()[0];
  EXPECT_EQ(again.outputs[1].size(), 1) << "h before each step";
  EXPECT_FALSE(std::get<bool>(again.attributes.at("reverse")));
  const Operator& gradient = *backward()[1];
  EXPECT_TRUE(std::get<bool>(gradient.attributes.at("reverse")));
  EXPECT_EQ(gradient.outputs[0].size(), 2) << "of h, and the sum of those of w";
  EXPECT_EQ(gradient.outputs[1].size(), 1) << "of xs";
  EXPECT_EQ(gradient.scope, "scan_grad");
  EXPECT_EQ(gradient.origin, "scan_0");
  EXPECT_EQ(gradient.guard, "cpu");
  EXPECT_EQ(grads[0].shape(), h_.shape());
  EXPECT_EQ(grads[1].shape(), xs_.shape());
  EXPECT_NO_THROW(main_.verify());
}

TEST_F(ScanGradientTest, RunsNothingAgainThatAStepDoesNotNeed) {
  const Step sums = scan(
      [](const Values& carry, const Values& xs) {
        const Variable sum = elementwise_add(carry[0], xs[0]);
        return Step{{sum}, {sum}};
      },
      {h_}, {xs_});
  gradients(reduce_sum(sums.ys[0]), {h_, xs_});
  ASSERT_EQ(backward().size(), 1);
  EXPECT_EQ(backward()[0]->inputs[1].size(), 1) << "the gradient of the sums alone";
  EXPECT_NO_THROW(main_.verify());
}

// Nothing that it takes slices of is needed; the number of steps is, all the same.
TEST_F(ScanGradientTest, KnowsHowManyStepsThereAre) {
  const Step halved = scan(
      [](const Values& carry, const Values& xs) {
        return Step{{scale(carry[0], 0.5)}, {xs[0]}};
      },
      {h_}, {xs_});
  gradients(reduce_sum(halved.carry[0]), {h_});
  ASSERT_EQ(backward().size(), 1);
  EXPECT_EQ(backward()[0]->inputs[1], program::Slot{xs_.id()});
  EXPECT_NO_THROW(main_.verify());
}

TEST_F(ScanGradientTest, RefusesABodyThatChangesState) {
  const Variable count = create_persistable({1}, kInt64, initializer::constant(0), "count");
  const Step made = scan(
      [&](const Values& carry, const Values& xs) {
        increment(count);
        return Step{{elementwise_add(carry[0], xs[0])}, {}};
      },
      {h_}, {xs_});
  EXPECT_THAT([&] { gradients(reduce_sum(made.carry[0]), {h_}); },
              ThrowsMessage<Error>(HasSubstr("the loop 'scan_0' changes 'count' in place")));
}

}  // namespace
}  // namespace loci
