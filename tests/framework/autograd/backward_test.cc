#include "framework/autograd/backward.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <loci/layers.hpp>

#include "framework/ops/grad_context.h"
#include "framework/ops/op_registry.h"

namespace loci {
namespace {

using program::Operator;
using program::Role;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

// Doubles the gradient of one variable.
class Doubling final : public autograd::GradientHook {
 public:
  explicit Doubling(Variable of) : of_(std::move(of)) {}
  [[nodiscard]] bool watches(program::VarId var) const override { return var == of_.id(); }
  program::VarId replace(program::VarId var, program::VarId gradient) override {
    EXPECT_EQ(var, of_.id());
    ++calls;
    return scale(Variable(of_.program(), gradient), 2.0).id();
  }
  int calls = 0;

 private:
  Variable of_;
};

class BackwardTest : public ::testing::Test {
 protected:
  Variable input(const std::string& name, const Shape& shape = {2, 3}) {
    return data(name, shape, kFloat32);
  }
  std::vector<std::string> backward_types() const {
    std::vector<std::string> result;
    for (const Operator& op : main_.impl()->main().ops) {
      if (op.role == Role::kBackward) result.push_back(op.type());
    }
    return result;
  }
  const Operator& producer(const Variable& variable) const {
    const auto& ops = main_.impl()->main().ops;
    return *std::find_if(ops.begin(), ops.end(), [&](const Operator& op) {
      return std::any_of(op.outputs.begin(), op.outputs.end(), [&](const program::Slot& slot) {
        return std::count(slot.begin(), slot.end(), variable.id()) > 0;
      });
    });
  }

  Program main_;
  Program startup_;
  ProgramGuard guard_{main_, startup_};
};

TEST_F(BackwardTest, AHookReplacesWhatGoesOn) {
  const Variable x = input("x");
  x.set_stop_gradient(false);
  const Variable y = tanh(x);
  const Variable loss = reduce_sum(y);
  for (const Variable& watched : {y, x}) {
    Doubling hook(watched);
    const auto found = autograd::append_gradients(*main_.impl(), loss.id(), {x.id(), y.id()},
                                                  autograd::SparseGradients::kMakeDense, &hook);
    EXPECT_EQ(hook.calls, 1);
    const Variable of_x(main_.impl(), found[0].value);
    const Variable of_y(main_.impl(), found[1].value);
    EXPECT_EQ(producer(watched.id() == y.id() ? of_y : of_x).type(), "scale");
    const Operator& tanh_grad = producer(
        watched.id() == y.id() ? of_x : Variable(main_.impl(), producer(of_x).inputs[0][0]));
    EXPECT_EQ(tanh_grad.type(), "tanh_grad");
  }
}

TEST_F(BackwardTest, RowsStayRowsForTheirTargetOnly) {
  const Variable table = create_parameter({10, 4}, kFloat32, initializer::constant(1), "table");
  const Variable ids = data("ids", {3}, kInt64);
  const Variable loss = mean(embedding(table, ids));
  const auto kept = autograd::append_gradients(*main_.impl(), loss.id(), {table.id()},
                                               autograd::SparseGradients::kKeep);
  ASSERT_NE(kept[0].rows, program::kNoVar);
  const auto& block = main_.impl()->main();
  EXPECT_EQ(block.var(kept[0].rows).name, "table@GRAD@ROWS");
  EXPECT_EQ(block.var(kept[0].value).name, "table@GRAD");
  EXPECT_EQ(block.var(kept[0].value).type.shape, (Shape{3, 4}));
  EXPECT_THAT(backward_types(), Not(Contains("embedding_grad")));
}

TEST_F(BackwardTest, RowsBecomeDenseWhereAUserAsksForGradients) {
  const Variable table = create_parameter({10, 4}, kFloat32, initializer::constant(1), "table");
  const Variable loss = mean(embedding(table, data("ids", {3}, kInt64)));
  const Variable grad = gradients(loss, {table}).front();
  EXPECT_EQ(grad.shape(), (Shape{10, 4}));
  EXPECT_EQ(producer(grad).type(), "embedding_grad");
}

TEST_F(BackwardTest, RowsBecomeDenseWhereAnOperatorMadeTheTable) {
  const Variable w = create_parameter({10, 4}, kFloat32, initializer::constant(1), "w");
  const Variable loss = mean(embedding(scale(w, 2.0), data("ids", {3}, kInt64)));
  const auto grads = autograd::append_gradients(*main_.impl(), loss.id(), {w.id()},
                                                autograd::SparseGradients::kKeep);
  EXPECT_EQ(grads[0].rows, program::kNoVar);
  EXPECT_THAT(backward_types(), Contains("embedding_grad"));
  EXPECT_NO_THROW(main_.verify());
}

TEST_F(BackwardTest, RowsAndADenseGradientAddUpDense) {
  const Variable table = create_parameter({10, 4}, kFloat32, initializer::constant(1), "table");
  const Variable rows = embedding(table, data("ids", {3}, kInt64));
  const Variable loss = elementwise_add(mean(rows), mean(table));
  const auto grads = autograd::append_gradients(*main_.impl(), loss.id(), {table.id()},
                                                autograd::SparseGradients::kKeep);
  EXPECT_EQ(grads[0].rows, program::kNoVar);
  EXPECT_EQ(main_.impl()->main().var(grads[0].value).name, "table@GRAD");
  EXPECT_THAT(backward_types(), Contains("elementwise_add"));
}

TEST_F(BackwardTest, WalksAChain) {
  const Variable x = input("x");
  const std::vector<Variable> grads = gradients(mean(relu(x)), {x});
  ASSERT_EQ(grads.size(), 1U);
  EXPECT_EQ(grads[0].name(), "x@GRAD");
  EXPECT_EQ(grads[0].shape(), x.shape());
  EXPECT_EQ(main_.find("relu_0.out@GRAD").shape(), x.shape());
  const Variable seed = main_.find("mean_0.out@GRAD");
  EXPECT_EQ(producer(seed).type(), "fill_constant");
  EXPECT_EQ(producer(grads[0]).type(), "relu_grad");
  EXPECT_NO_THROW(main_.verify());
}

TEST_F(BackwardTest, OperatorsTakeGuardRoleAndScope) {
  const Variable x = input("x");
  Variable y;
  {
    const DeviceGuard device("sim:1");
    y = relu(x);
  }
  const Variable grad = gradients(mean(y), {x})[0];
  const Operator& op = producer(grad);
  EXPECT_EQ(op.guard, "sim:1");
  EXPECT_EQ(op.role, Role::kBackward);
  EXPECT_EQ(op.scope, "relu_grad");
  EXPECT_EQ(op.origin, "relu_0");
  EXPECT_EQ(producer(main_.find("relu_0.out@GRAD")).guard, "");
}

TEST_F(BackwardTest, AddsUpTheContributionsOfAllReaders) {
  const Variable x = input("x");
  const Variable y = elementwise_add(elementwise_add(relu(x), scale(x, 2.0)), scale(x, 3.0));
  const Variable grad = gradients(mean(y), {x})[0];
  EXPECT_EQ(grad.name(), "x@GRAD");
  EXPECT_EQ(producer(grad).type(), "elementwise_add");
  for (const char* name : {"x@GRAD@0", "x@GRAD@1", "x@GRAD@2"}) {
    EXPECT_EQ(main_.find(name).shape(), x.shape()) << name;
  }
  const std::vector<std::string> types = backward_types();
  EXPECT_EQ(std::count(types.begin(), types.end(), "elementwise_add"), 2);
  EXPECT_NO_THROW(main_.verify());
}

TEST_F(BackwardTest, AVariableReadTwiceByOneOperator) {
  const Variable x = input("x");
  const Variable grad = gradients(mean(elementwise_mul(x, x)), {x})[0];
  EXPECT_EQ(grad.name(), "x@GRAD");
  EXPECT_EQ(producer(grad).type(), "elementwise_add");
}

TEST_F(BackwardTest, TargetsGetGradientsOfTheirOwn) {
  const Variable x = input("x");
  const Variable y = input("y");
  const Variable sum = elementwise_add(x, y);
  const std::vector<Variable> grads = gradients(mean(sum), {x, y, sum});
  EXPECT_EQ(grads[0].name(), "x@GRAD");
  EXPECT_EQ(grads[1].name(), "y@GRAD");
  EXPECT_EQ(grads[2].name(), "elementwise_add_0.out@GRAD");
  EXPECT_NO_THROW(main_.verify());
}

TEST_F(BackwardTest, VisitsOnlyWhatLiesBetween) {
  const Variable x = input("x");
  const Variable w = create_parameter({3, 4}, kFloat32, initializer::constant(0), "w");
  const Variable hidden = relu(softmax(x));
  const Variable loss = mean(matmul(hidden, w));
  softmax(loss.defined() ? hidden : x);
  const Variable grad = gradients(loss, {w})[0];
  EXPECT_EQ(grad.shape(), w.shape());
  EXPECT_EQ(main_.impl()->main().find("relu_0.out@GRAD"), program::kNoVar);
  const std::vector<std::string> types = backward_types();
  EXPECT_THAT(types, Not(Contains("relu_grad")));
  EXPECT_EQ(std::count(types.begin(), types.end(), "matmul"), 1) << "only that of w";
}

TEST_F(BackwardTest, StopsWhereItIsToldTo) {
  const Variable x = input("x");
  const Variable y = relu(x);
  y.set_stop_gradient(true);
  const Variable loss = mean(y);
  const std::string before = main_.to_string();
  EXPECT_FALSE(gradients(loss, {x})[0].defined());
  EXPECT_EQ(main_.to_string(), before) << "nothing to compute";
  const std::vector<Variable> grads = gradients(loss, {x, y});
  EXPECT_FALSE(grads[0].defined());
  EXPECT_EQ(grads[1].name(), "relu_0.out@GRAD");
}

TEST_F(BackwardTest, StopsAtIntegersAndOpsWithoutGradient) {
  const Variable x = input("x");
  const Variable indices = argmax(x);
  const Variable loss = mean(cast(indices, kFloat32));
  const std::vector<Variable> grads = gradients(loss, {x, indices});
  EXPECT_FALSE(grads[0].defined());
  EXPECT_FALSE(grads[1].defined());
}

TEST_F(BackwardTest, UnrelatedTargetsHaveNone) {
  const Variable x = input("x");
  const Variable other = input("other");
  const Variable loss = mean(x);
  relu(other);
  const std::vector<Variable> grads = gradients(loss, {other, x, loss});
  EXPECT_FALSE(grads[0].defined());
  EXPECT_TRUE(grads[1].defined());
  EXPECT_EQ(grads[2].name(), "mean_0.out@GRAD");
}

TEST_F(BackwardTest, ASecondWalkTakesOtherNames) {
  const Variable x = input("x");
  const Variable loss = mean(relu(x));
  EXPECT_EQ(gradients(loss, {x})[0].name(), "x@GRAD");
  EXPECT_EQ(gradients(loss, {x})[0].name(), "x@GRAD_0");
  EXPECT_NO_THROW(main_.verify());
}

TEST_F(BackwardTest, GradientsHaveGradients) {
  const Variable x = input("x");
  const Variable first = gradients(reduce_sum(elementwise_mul(elementwise_mul(x, x), x)), {x})[0];
  const Variable second = gradients(reduce_sum(first), {x})[0];
  EXPECT_EQ(second.shape(), x.shape());
  EXPECT_NO_THROW(main_.verify());
}

TEST_F(BackwardTest, AWholeModelVerifies) {
  const Variable x = input("image", {-1, 1, 8, 8});
  const Variable label = data("label", {-1, 1}, kInt64);
  const Variable features = pool2d(relu(layers::conv2d(x, 4, 3, {}, "conv")));
  const Variable logits = layers::fc(features, 10, "head");
  const Variable loss = mean(softmax_with_cross_entropy(logits, label));
  std::vector<Variable> parameters;
  for (const char* name : {"conv.weight", "conv.bias", "head.weight", "head.bias"}) {
    parameters.push_back(main_.find(name));
  }
  const std::vector<Variable> grads = gradients(loss, parameters);
  for (std::size_t i = 0; i < grads.size(); ++i) {
    ASSERT_TRUE(grads[i].defined());
    EXPECT_EQ(grads[i].name(), parameters[i].name() + "@GRAD");
    EXPECT_EQ(grads[i].shape(), parameters[i].shape());
  }
  EXPECT_NO_THROW(main_.verify());
  EXPECT_EQ(main_.impl()->main().find("image@GRAD"), program::kNoVar);
}

TEST_F(BackwardTest, TheLossIsOneFloatingElement) {
  const Variable x = input("x");
  const Variable dynamic = input("dynamic", {-1});
  const Variable integer = data("integer", {1}, kInt64);
  EXPECT_THAT([&] { gradients(relu(x), {x}); },
              ThrowsMessage<Error>(HasSubstr("'relu_0.out' is float32[2, 3]")));
  EXPECT_THAT([&] { gradients(dynamic, {x}); }, ThrowsMessage<Error>(HasSubstr("float32[-1]")));
  EXPECT_THAT([&] { gradients(integer, {x}); }, ThrowsMessage<Error>(HasSubstr("int64[1]")));
  EXPECT_THAT([&] { gradients(Variable(), {x}); }, ThrowsMessage<Error>(HasSubstr("undefined")));
  EXPECT_THAT([&] { gradients(mean(x), {Variable()}); },
              ThrowsMessage<Error>(HasSubstr("undefined")));
  const Variable foreign = main_.clone().find("x");
  EXPECT_THAT([&] { gradients(mean(x), {foreign}); },
              ThrowsMessage<Error>(HasSubstr("different programs")));
}

TEST_F(BackwardTest, RefusesStateThatChangedSinceItWasRead) {
  const Variable x = input("x");
  const Variable w = create_parameter({3, 4}, kFloat32, initializer::constant(0), "w");
  const Variable rate = create_persistable({}, kFloat32, initializer::constant(0), "rate");
  const Variable loss = mean(matmul(x, w));
  sgd(w, w, rate);
  const std::string before = main_.to_string();
  EXPECT_THAT([&] { gradients(loss, {x}); }, ThrowsMessage<Error>(HasSubstr("'sgd_0' changes")));
  EXPECT_EQ(main_.to_string(), before) << "half a gradient was left";
  EXPECT_TRUE(gradients(loss, {w})[0].defined()) << "that of w does not read w";
}

TEST_F(BackwardTest, RefusesStateThatChangesBetweenItsReaders) {
  const Variable x = input("x");
  const Variable w = create_parameter({3, 4}, kFloat32, initializer::constant(0), "w");
  const Variable rate = create_persistable({}, kFloat32, initializer::constant(0), "rate");
  const Variable early = matmul(x, w);
  sgd(w, w, rate);
  const Variable loss = mean(elementwise_add(early, matmul(x, w)));
  EXPECT_THAT([&] { gradients(loss, {w}); },
              ThrowsMessage<Error>(HasSubstr("'sgd_0' changes 'w' in place between its readers")));
}

TEST_F(BackwardTest, NamesTheOpWhoseGradientHasAnotherShape) {
  ops::OpRegistry& registry = ops::op_registry();
  if (registry.find("test_bad_gradient") == nullptr) {
    ops::OpSchema schema("test_bad_gradient");
    schema.input("x").output("out").infer(
        [](ops::InferContext& ctx) { ctx.set_output("out", ctx.input("x")); });
    registry.add(schema.gradient(
        [](ops::GradContext& ctx) { ctx.set_input_grad("x", mean(ctx.output_grad("out")), 0); }));
  }
  const Variable x = input("x");
  const Variable y = OpCall<Variable>("test_bad_gradient").input("x", x).result();
  EXPECT_THAT([&] { gradients(mean(y), {x}); },
              ThrowsMessage<Error>(HasSubstr("[test_bad_gradient] its gradient for 'x' is "
                                             "float32[], but that is float32[2, 3]")));
}

}  // namespace
}  // namespace loci
