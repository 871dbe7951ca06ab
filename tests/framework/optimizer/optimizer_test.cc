#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <loci/layers.hpp>
#include <loci/optimizer.hpp>

#include "framework/program/program_impl.h"

namespace loci {
namespace {

using optimizer::SGD;
using program::Operator;
using program::Role;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class OptimizerTest : public ::testing::Test {
 protected:
  Variable model() {
    const Variable x = data("x", {-1, 3}, kFloat32);
    Variable hidden;
    {
      const DeviceGuard device("sim:1");
      hidden = layers::fc(x, 4, "first");
    }
    return mean(layers::fc(relu(hidden), 2, "second"));
  }
  std::vector<Operator> updates() const {
    std::vector<Operator> result;
    for (const Operator& op : main_.impl()->main().ops) {
      if (op.role == Role::kUpdate) result.push_back(op);
    }
    return result;
  }

  Program main_;
  Program startup_;
  ProgramGuard guard_{main_, startup_};
};

TEST_F(OptimizerTest, UpdatesEveryParameter) {
  SGD sgd(0.5);
  EXPECT_FALSE(sgd.learning_rate().defined());
  const auto updated = sgd.minimize(model());
  ASSERT_EQ(updated.size(), 4U);
  EXPECT_EQ(updated[0].parameter.name(), "first.weight");
  EXPECT_EQ(updated[0].gradient.name(), "first.weight@GRAD");
  const std::vector<Operator> ops = updates();
  ASSERT_EQ(ops.size(), 4U);
  EXPECT_EQ(ops[0].type(), "sgd");
  EXPECT_EQ(ops[0].guard, "sim:1") << "that of the parameter";
  EXPECT_EQ(ops[2].guard, "");
  EXPECT_EQ(ops[0].outputs[0], program::Slot{updated[0].parameter.id()});
  EXPECT_NO_THROW(main_.verify());
  EXPECT_NO_THROW(startup_.verify());
}

TEST_F(OptimizerTest, TheLearningRateIsAPersistableVariable) {
  SGD sgd(0.25);
  sgd.minimize(model());
  const Variable rate = sgd.learning_rate();
  EXPECT_EQ(rate.name(), "learning_rate_0");
  EXPECT_TRUE(rate.persistable());
  EXPECT_EQ(rate.shape(), Shape{});
  EXPECT_EQ(rate.dtype(), kFloat32);
  const Operator& init = startup_.impl()->main().ops.back();
  EXPECT_EQ(std::get<double>(init.attributes.at("value")), 0.25);
  EXPECT_EQ(startup_.impl()->main().var(init.outputs[0][0]).name, "learning_rate_0");
}

TEST_F(OptimizerTest, TrainsOnlyWhatIsAskedFor) {
  const Variable loss = model();
  const auto updated = SGD(0.1).minimize(loss, {main_.find("second.bias")});
  ASSERT_EQ(updated.size(), 1U);
  EXPECT_EQ(updated[0].parameter.name(), "second.bias");
  EXPECT_EQ(main_.impl()->main().find("first.weight@GRAD"), program::kNoVar);
}

TEST_F(OptimizerTest, LeavesFrozenParametersAlone) {
  const Variable loss = model();
  main_.find("first.weight").set_stop_gradient(true);
  EXPECT_EQ(SGD(0.1).minimize(loss).size(), 3U);
}

TEST_F(OptimizerTest, PruningRemovesTraining) {
  const Variable loss = model();
  SGD(0.1).minimize(loss);
  const Program inference = main_.prune({main_.find("x")}, {loss});
  for (const Operator& op : inference.impl()->main().ops) EXPECT_EQ(op.role, Role::kForward);
  EXPECT_EQ(inference.impl()->main().find("learning_rate_0"), program::kNoVar);
}

TEST_F(OptimizerTest, RefusesWhatCannotBeTrained) {
  const Variable x = data("y", {2}, kFloat32);
  const Variable lonely = mean(x);
  const Variable loss = model();
  const Variable weight = main_.find("first.weight");
  const std::string before = main_.to_string() + startup_.to_string();
  EXPECT_THAT([&] { SGD(0.1).minimize(lonely); },
              ThrowsMessage<Error>(HasSubstr("depends on no parameter")));
  EXPECT_THAT([&] { SGD(0.1).minimize(x); }, ThrowsMessage<Error>(HasSubstr("'y' is float32[2]")));
  EXPECT_THAT([&] { SGD(0.1).minimize(loss, {x}); },
              ThrowsMessage<Error>(HasSubstr("'y' is not persistable")));
  EXPECT_THAT(
      [&] {
        SGD(0.1).minimize(loss, {weight, weight});
      },
      ThrowsMessage<Error>(HasSubstr("given twice")));
  EXPECT_THAT([&] { SGD(0.1).minimize(loss, {main_.clone().find("first.weight")}); },
              ThrowsMessage<Error>(HasSubstr("different programs")));
  EXPECT_THAT([&] { SGD(0.1).minimize(Variable()); }, ThrowsMessage<Error>(HasSubstr("undefined")));
  EXPECT_THAT([] { SGD{std::nan("")}; }, ThrowsMessage<Error>(HasSubstr("learning rate")));
  EXPECT_EQ(main_.to_string() + startup_.to_string(), before);
}

}  // namespace
}  // namespace loci
