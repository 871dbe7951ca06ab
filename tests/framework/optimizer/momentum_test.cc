#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/layers.hpp>
#include <loci/optimizer.hpp>

#include "framework/program/program_impl.h"

namespace loci {
namespace {

using optimizer::Momentum;
using program::Operator;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class MomentumTest : public ::testing::Test {
 protected:
  Program main_;
  Program startup_;
  ProgramGuard guard_{main_, startup_};
};

TEST_F(MomentumTest, KeepsAVelocityForEachParameter) {
  Momentum(0.1, {.momentum = 0.5, .use_nesterov = true})
      .minimize(mean(layers::fc(data("x", {-1, 3}, kFloat32), 2, "fc")));
  const Operator& op = main_.impl()->main().ops.back();
  EXPECT_EQ(op.type(), "momentum");
  EXPECT_EQ(std::get<double>(op.attributes.at("mu")), 0.5);
  EXPECT_TRUE(std::get<bool>(op.attributes.at("use_nesterov")));
  const Variable velocity = main_.find("fc.bias.velocity");
  EXPECT_EQ(velocity.shape(), (Shape{2}));
  EXPECT_TRUE(velocity.persistable());
  EXPECT_TRUE(startup_.find("fc.weight.velocity").defined());
  EXPECT_NO_THROW(main_.verify());
}

TEST_F(MomentumTest, StateOfShortParametersIsFloat32) {
  const Variable w = create_parameter({2}, kFloat16, initializer::constant(1), "w");
  Momentum(0.1).minimize(mean(w));
  EXPECT_EQ(main_.find("w.velocity").dtype(), kFloat32);
}

TEST_F(MomentumTest, StateLivesWhereTheParameterDoes) {
  Variable w;
  {
    const DeviceGuard device("sim:1");
    w = create_parameter({2}, kFloat32, initializer::constant(1), "w");
  }
  Momentum(0.1).minimize(mean(w));
  const auto& block = main_.impl()->main();
  EXPECT_EQ(block.var(block.find("w.velocity")).guard, "sim:1");
}

TEST_F(MomentumTest, RefusesAMomentumThatDoesNotDecay) {
  EXPECT_THAT([] { Momentum(0.1, {.momentum = 1.0}); },
              ThrowsMessage<Error>(HasSubstr("[momentum] momentum is 1; give one in [0, 1)")));
}

}  // namespace
}  // namespace loci
