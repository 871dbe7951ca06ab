#include "framework/optimizer/update_rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loci::optimizer {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class UpdateBuilderTest : public ::testing::Test {
 protected:
  program::ProgramImpl& main() { return *main_.impl(); }

  Program main_;
  Program startup_;
  ProgramGuard guard_{main_, startup_};
  Variable weight_ = create_parameter({2, 3}, kFloat64, initializer::constant(1), "w");
  Variable rate_ = create_parameter({}, kFloat32, initializer::constant(0.1), "rate");
  UpdateBuilder builder_{main_.impl(), *startup_.impl(), rate_.id()};
};

TEST_F(UpdateBuilderTest, StateStartsAtZeroInTheShapeOfTheParameter) {
  const program::VarDesc& state = main().main().var(builder_.state(weight_.id(), "velocity"));
  EXPECT_EQ(state.name, "w.velocity");
  EXPECT_EQ(state.type, (ops::TensorType{kFloat64, {2, 3}}));
  EXPECT_TRUE(state.persistable);
  EXPECT_FALSE(state.trainable);
  const program::Operator& init = startup_.impl()->main().ops.back();
  EXPECT_EQ(std::get<double>(init.attributes.at("value")), 0.0);
}

TEST_F(UpdateBuilderTest, ASecondStateOfTheSameNameIsToldApart) {
  const program::VarId first = builder_.state(weight_.id(), "velocity");
  const program::VarId second = builder_.state(weight_.id(), "velocity");
  EXPECT_NE(first, second);
  EXPECT_NE(main().main().var(first).name, main().main().var(second).name);
}

TEST_F(UpdateBuilderTest, ACounterIsOneInteger) {
  const program::VarDesc& counter = main().main().var(builder_.counter("adam.step", "cpu"));
  EXPECT_EQ(counter.type, (ops::TensorType{kInt64, Shape{}}));
  EXPECT_EQ(counter.guard, "cpu");
}

TEST_F(UpdateBuilderTest, RowsAreNamedOnlyForASparseGradient) {
  const autograd::GradientVar dense{rate_.id(), program::kNoVar};
  const autograd::GradientVar sparse{rate_.id(), weight_.id()};
  EXPECT_EQ(builder_.update("sgd", weight_.id(), dense).inputs.size(), 3U);
  const program::OperatorSpec spec = builder_.update("sgd", weight_.id(), sparse);
  ASSERT_EQ(spec.inputs.size(), 4U);
  EXPECT_EQ(spec.inputs.back().name, "rows");
  EXPECT_EQ(spec.role, program::Role::kUpdate);
}

TEST(CheckShareTest, AcceptsTheHalfOpenUnitInterval) {
  EXPECT_NO_THROW(check_share("adam", "beta1", 0.0));
  EXPECT_THAT([] { check_share("adam", "beta1", 1.0); },
              ThrowsMessage<Error>(HasSubstr("[adam] beta1 is 1; give one in [0, 1)")));
  EXPECT_THAT([] { check_share("adam", "beta1", -0.5); },
              ThrowsMessage<Error>(HasSubstr("[adam] beta1 is -0.5")));
}

}  // namespace
}  // namespace loci::optimizer
