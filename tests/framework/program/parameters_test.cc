#include "framework/program/parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace loci {
namespace {

using program::Block;
using program::Operator;
using program::Role;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class ParametersTest : public ::testing::Test {
 protected:
  const Block& startup() const { return startup_.impl()->main(); }

  Program main_;
  Program startup_;
  ProgramGuard guard_{main_, startup_};
};

TEST_F(ParametersTest, StartupInitialisesWhatMainUses) {
  const Variable w = create_parameter({3, 4}, kFloat32, initializer::constant(0.5), "w");
  EXPECT_TRUE(w.persistable());
  EXPECT_FALSE(w.stop_gradient());
  EXPECT_TRUE(main_.impl()->main().var(w.id()).trainable);
  EXPECT_EQ(main_.impl()->main().ops.size(), 0U);
  ASSERT_EQ(startup().ops.size(), 1U);
  const Operator& op = startup().ops[0];
  EXPECT_EQ(op.type(), "fill_constant");
  EXPECT_EQ(op.role, Role::kInitialize);
  EXPECT_EQ(std::get<double>(op.attributes.at("value")), 0.5);
  EXPECT_EQ(startup().var(op.outputs[0][0]).name, "w");
  EXPECT_TRUE(startup().var(op.outputs[0][0]).persistable);
  EXPECT_NO_THROW(startup_.verify());
}

TEST_F(ParametersTest, NamesAreUniqueWhenNotGiven) {
  EXPECT_EQ(create_parameter({1}, kFloat32, initializer::constant(0)).name(), "parameter_0");
  EXPECT_EQ(create_parameter({1}, kFloat32, initializer::constant(0)).name(), "parameter_1");
  const Variable state = create_persistable({1}, kFloat32, initializer::constant(0));
  EXPECT_EQ(state.name(), "persistable_0");
  EXPECT_TRUE(state.stop_gradient());
  EXPECT_FALSE(main_.impl()->main().var(state.id()).trainable);
}

TEST_F(ParametersTest, InitialisersTakeTheGuard) {
  const DeviceGuard guard("cpu");
  const Variable w = create_parameter({1}, kFloat32, initializer::constant(0));
  EXPECT_EQ(main_.impl()->main().var(w.id()).guard, "cpu");
  EXPECT_EQ(startup().ops[0].guard, "cpu");
}

TEST_F(ParametersTest, RandomInitialisersReadTheState) {
  create_parameter({2}, kFloat32, initializer::uniform(-1, 1));
  create_parameter({2}, kFloat32, initializer::normal(0, 0.1));
  EXPECT_NE(startup().find(program::kRandomStateName), program::kNoVar);
  EXPECT_EQ(main_.impl()->main().find(program::kRandomStateName), program::kNoVar);
  EXPECT_EQ(std::get<std::int64_t>(startup().ops[1].attributes.at("offset")), 1);
}

TEST_F(ParametersTest, ARefusalChangesNeitherProgram) {
  create_parameter({2}, kFloat32, initializer::constant(0), "w");
  const std::string main = main_.to_string();
  const std::string startup = startup_.to_string();
  EXPECT_THAT([] { create_parameter({2}, kFloat32, initializer::constant(0), "w"); },
              ThrowsMessage<Error>(HasSubstr("'w' already")));
  EXPECT_THAT([] { create_parameter({-1}, kFloat32, initializer::constant(0), "v"); },
              ThrowsMessage<Error>(HasSubstr("'v' is persistable")));
  EXPECT_THAT([] { create_parameter({2}, kInt32, initializer::uniform(0, 1), "v"); },
              ThrowsMessage<Error>(HasSubstr("[uniform_random]")));
  EXPECT_THAT(
      [] {
        create_parameter({2}, kFloat32, Initializer{"fill_constnat", {}}, "v");
      },
      ThrowsMessage<Error>(HasSubstr("'fill_constant'")));
  EXPECT_EQ(main_.to_string(), main);
  EXPECT_EQ(startup_.to_string(), startup);
}

TEST_F(ParametersTest, XavierFollowsTheFans) {
  const auto bound = [](const Shape& shape) {
    return std::get<double>(initializer::xavier(shape).attributes.at("high"));
  };
  EXPECT_DOUBLE_EQ(bound({30, 20}), std::sqrt(6.0 / 50));
  EXPECT_DOUBLE_EQ(bound({8, 4, 3, 3}), std::sqrt(6.0 / (9 * 12)));
  EXPECT_THAT([] { (void)initializer::xavier({3}); }, ThrowsMessage<Error>(HasSubstr("[3]")));
}

}  // namespace
}  // namespace loci
