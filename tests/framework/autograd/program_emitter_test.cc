#include "framework/autograd/program_emitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/ops.hpp>

namespace loci::autograd {
namespace {

using program::Operator;
using program::Role;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class ProgramEmitterTest : public ::testing::Test {
 protected:
  program::Block& block() { return main_.impl()->main(); }

  Program main_;
  ProgramGuard guard_{main_};
  Variable x_ = data("x", {2, 3}, kFloat32);
  Variable w_ = create_parameter({3, 4}, kFloat32, initializer::constant(0), "w");
};

TEST_F(ProgramEmitterTest, EmitsUnderTheOperatorsGuardAndScope) {
  {
    const DeviceGuard device("sim:1");
    matmul(x_, w_);
  }
  ProgramEmitter emitter(*main_.impl());
  const Operator forward = block().ops[0];
  emitter.enter(forward, 0);
  const ops::Value result = relu(emitter.value(x_.id()));
  EXPECT_EQ(emitter.type(result), (ops::TensorType{kFloat32, Shape{2, 3}}));
  const Operator& op = block().ops[1];
  EXPECT_EQ(op.type(), "relu");
  EXPECT_EQ(op.guard, "sim:1");
  EXPECT_EQ(op.role, Role::kBackward);
  EXPECT_EQ(op.scope, "matmul_grad");
  // The gradient of a gradient.
  const Operator backward = op;
  emitter.enter(backward, 1);
  relu(result);
  EXPECT_EQ(block().ops[2].scope, "matmul_grad_grad");
}

TEST_F(ProgramEmitterTest, MakesOnes) {
  ProgramEmitter emitter(*main_.impl());
  const program::VarId ones = emitter.ones({kFloat64, Shape{1}}, "cpu");
  EXPECT_EQ(block().var(ones).type, (ops::TensorType{kFloat64, Shape{1}}));
  EXPECT_EQ(std::get<double>(block().ops[0].attributes.at("value")), 1.0);
  EXPECT_EQ(block().ops[0].guard, "cpu");
}

TEST_F(ProgramEmitterTest, NoVariableIsNoValue) {
  ProgramEmitter emitter(*main_.impl());
  EXPECT_FALSE(emitter.value(program::kNoVar).defined());
}

TEST_F(ProgramEmitterTest, RefusesValuesThatChangedSince) {
  const Variable rate = create_persistable({}, kFloat32, initializer::constant(0), "rate");
  matmul(x_, w_);
  sgd(w_, w_, rate);
  relu(w_);
  ProgramEmitter emitter(*main_.impl());
  const Operator before = block().ops[0];
  emitter.enter(before, 0);
  EXPECT_THAT(
      [&] { relu(emitter.value(w_.id())); },
      ThrowsMessage<Error>(AllOf(HasSubstr("'matmul_0'"), HasSubstr("'w'"), HasSubstr("'sgd_0'"))));
  const Operator after = block().ops[2];
  emitter.enter(after, 2);
  EXPECT_NO_THROW(relu(emitter.value(w_.id())));
}

}  // namespace
}  // namespace loci::autograd
