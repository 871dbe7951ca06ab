#include "framework/program/test_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/loci.hpp>

namespace loci {
namespace {

using program::Operator;
using program::Role;
using ::testing::Each;
using ::testing::Field;

class TestFormTest : public ::testing::Test {
 protected:
  Program main_;
  Program startup_;
  ProgramGuard guard_{main_, startup_};
};

TEST_F(TestFormTest, HasNoGradientsNorUpdatesNorTheirState) {
  const Variable loss = mean(layers::fc(dropout(data("x", {-1, 3}, kFloat32)), 2, "fc"));
  optimizer::Adam adam(0.1);
  adam.minimize(loss);
  const Program copy = main_.clone_for_test();
  EXPECT_THAT(copy.impl()->main().ops, Each(Field(&Operator::role, Role::kForward)));
  EXPECT_NO_THROW(copy.verify());
  EXPECT_EQ(copy.find(loss.name()).shape(), loss.shape());
  EXPECT_TRUE(copy.find("fc.weight").persistable());
  for (const char* name : {"fc.weight.moment1", "fc.weight@GRAD"}) {
    EXPECT_NO_THROW((void)main_.find(name));
    EXPECT_THROW((void)copy.find(name), Error) << name;
  }
  EXPECT_THROW((void)copy.find(adam.learning_rate().name()), Error);
}

TEST_F(TestFormTest, StateThatTheForwardPassUsesStays) {
  const Variable x = data("x", {-1, 3}, kFloat32);
  const Variable loss = mean(layers::batch_norm(layers::fc(x, 2, "fc")));
  optimizer::SGD(0.1).minimize(loss);
  std::size_t forward = 0;
  for (const Operator& op : main_.impl()->main().ops) forward += op.role == Role::kForward ? 1 : 0;
  const Program copy = main_.clone_for_test();
  EXPECT_EQ(copy.impl()->main().ops.size(), forward);
  Scope scope;
  Executor executor("cpu", {}, scope);
  executor.run(startup_);
  EXPECT_NO_THROW(
      executor.run(copy, {{"x", Tensor::from<float>({1, 2, 3}, {1, 3})}}, {loss.name()}));
}

}  // namespace
}  // namespace loci
