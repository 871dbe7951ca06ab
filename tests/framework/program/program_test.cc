#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/layers.hpp>
#include <loci/ops.hpp>
#include <loci/program.hpp>

#include "framework/program/program_impl.h"

namespace loci {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class ProgramTest : public ::testing::Test {
 protected:
  Program main_;
  Program startup_;
  ProgramGuard guard_{main_, startup_};
};

TEST_F(ProgramTest, FindsVariables) {
  const Variable x = data("image", {-1, 2}, kFloat32);
  EXPECT_EQ(main_.find("image").id(), x.id());
  EXPECT_THAT([&] { (void)main_.find("imagee"); },
              ThrowsMessage<Error>(HasSubstr("did you mean 'image'")));
}

TEST_F(ProgramTest, VariablesDescribeThemselves) {
  const Variable x = data("x", {-1, 2}, kInt32);
  EXPECT_EQ(x.name(), "x");
  EXPECT_EQ(x.dtype(), kInt32);
  EXPECT_EQ(x.shape(), (Shape{-1, 2}));
  EXPECT_FALSE(x.persistable());
  EXPECT_TRUE(x.stop_gradient());
  x.set_persistable(true);
  x.set_stop_gradient(false);
  EXPECT_TRUE(main_.find("x").persistable());
  EXPECT_FALSE(main_.find("x").stop_gradient());
}

TEST_F(ProgramTest, UndefinedVariablesSaySo) {
  EXPECT_THAT([] { (void)Variable().name(); }, ThrowsMessage<Error>(HasSubstr("undefined")));
  EXPECT_THAT([] { Variable().set_persistable(true); },
              ThrowsMessage<Error>(HasSubstr("undefined")));
}

TEST_F(ProgramTest, DataNeedsAFreeNameAndADtype) {
  data("x", {2}, kFloat32);
  EXPECT_THAT([] { data("x", {2}, kFloat32); }, ThrowsMessage<Error>(HasSubstr("'x' already")));
  EXPECT_THAT([] { data("y", {2}, DType::kNone); }, ThrowsMessage<Error>(HasSubstr("dtype")));
}

TEST_F(ProgramTest, ClonesAreDeep) {
  const Variable x = data("x", {2}, kFloat32);
  const Program copy = main_.clone();
  relu(x);
  EXPECT_EQ(copy.impl()->main().ops.size(), 0U);
  EXPECT_EQ(relu(copy.find("x")).program(), copy.impl());
}

TEST_F(ProgramTest, ClonesForTestSwitchOffWhatOnlyTrainingDoes) {
  const Variable x = data("x", {2, 3}, kFloat32);
  relu(dropout(layers::batch_norm(x)));
  const auto tests = [](const Program& program, std::size_t op) {
    return std::get<bool>(program.impl()->main().ops[op].attributes.at("is_test"));
  };
  const Program copy = main_.clone_for_test();
  EXPECT_TRUE(tests(copy, 0));
  EXPECT_TRUE(tests(copy, 1));
  EXPECT_EQ(copy.impl()->main().ops[2].attributes.count("is_test"), 0U);
  EXPECT_FALSE(tests(main_, 0));
  EXPECT_FALSE(tests(main_, 1));
  EXPECT_NO_THROW(copy.verify());
}

TEST_F(ProgramTest, OperatorsGoWhereTheirInputsAre) {
  const Variable x = data("x", {2}, kFloat32);
  const Program other;
  const ProgramGuard guard(other);
  EXPECT_EQ(relu(x).program(), main_.impl());
  EXPECT_EQ(fill_constant({1}, 0.0).program(), other.impl());
}

TEST_F(ProgramTest, PruneRefusesVariablesOfAnotherProgram) {
  const Variable x = data("x", {2}, kFloat32);
  EXPECT_THAT([&] { (void)main_.clone().prune({x}, {}); },
              ThrowsMessage<Error>(HasSubstr("feed 'x' belongs to another program")));
}

TEST_F(ProgramTest, VerifiesWhatItBuilds) {
  const Variable x = data("x", {-1, 3}, kFloat32);
  mean(softmax(x));
  EXPECT_NO_THROW(main_.verify());
}

}  // namespace
}  // namespace loci
