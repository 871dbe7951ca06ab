#include "framework/program/builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/ops.hpp>

namespace loci::program {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class BuilderTest : public ::testing::Test {
 protected:
  ProgramImpl& impl() { return *main_.impl(); }
  Block& block() { return main_.impl()->main(); }
  VarId persistable(const std::string& name, const Shape& shape) {
    VarDesc desc;
    desc.name = name;
    desc.type = {kFloat32, shape};
    desc.persistable = true;
    return block().add_var(desc);
  }

  Program main_;
  ProgramGuard guard_{main_};
};

TEST_F(BuilderTest, NamesOperatorsAndOutputs) {
  const Variable x = data("x", {-1, 4}, kFloat32);
  EXPECT_EQ(relu(x).name(), "relu_0.out");
  EXPECT_EQ(relu(x).name(), "relu_1.out");
  EXPECT_EQ(block().ops[1].name, "relu_1");
  EXPECT_EQ(softmax_with_cross_entropy(x, data("label", {-1, 1}, kInt64)).name(),
            "softmax_with_cross_entropy_0.loss");
}

TEST_F(BuilderTest, InfersAndCompletesAttributes) {
  const Variable x = data("x", {-1, 4}, kFloat32);
  const Variable y =
      OpCall<Variable>("scale").input("x", x).attr("scale", std::int64_t{2}).result();
  EXPECT_EQ(y.shape(), (Shape{-1, 4}));
  const Attributes expected{{"scale", 2.0}, {"bias", 0.0}};
  EXPECT_EQ(block().ops[0].attributes, expected);
}

TEST_F(BuilderTest, TakesTheGuardOfTheThread) {
  const Variable x = data("x", {4}, kFloat32);
  {
    const DeviceGuard device("sim:1");
    relu(x);
  }
  relu(x);
  EXPECT_EQ(block().ops[0].guard, "sim:1");
  EXPECT_EQ(block().ops[1].guard, "");
}

TEST_F(BuilderTest, RandomOperatorsShareAStateAndCountOffsets) {
  uniform_random({2});
  gaussian_random({2});
  const VarId state = block().find(kRandomStateName);
  ASSERT_NE(state, kNoVar);
  EXPECT_TRUE(block().var(state).persistable);
  EXPECT_EQ(block().var(state).type, (ops::TensorType{kUInt64, Shape{2}}));
  for (std::size_t i = 0; i < 2; ++i) {
    const Operator& op = block().ops[i];
    EXPECT_EQ(op.inputs[static_cast<std::size_t>(op.schema->input_index("state"))], Slot{state});
    EXPECT_EQ(std::get<std::int64_t>(op.attributes.at("offset")), static_cast<std::int64_t>(i));
  }
}

TEST_F(BuilderTest, AStateIsItsOwnOutput) {
  const VarId w = persistable("w", {3});
  const VarId rate = persistable("rate", {});
  const VarId grad = persistable("grad", {3});
  OperatorSpec spec;
  spec.type = "sgd";
  spec.inputs = {{"param", {w}}, {"grad", {grad}}, {"learning_rate", {rate}}};
  EXPECT_EQ(append_operator(impl(), spec), std::vector<VarId>{w});
  EXPECT_EQ(block().vars.size(), 3U);
}

TEST_F(BuilderTest, RefusesToChangeWhatIsNotPersistable) {
  const Variable w = data("w", {3}, kFloat32);
  const Variable rate = data("rate", {}, kFloat32);
  EXPECT_THAT([&] { sgd(w, w, rate); }, ThrowsMessage<Error>(HasSubstr("'w' in place")));
}

TEST_F(BuilderTest, WritesIntoExistingVariables) {
  const VarId w = persistable("w", {3});
  OperatorSpec spec;
  spec.type = "fill_constant";
  spec.attributes = {{"shape", std::vector<std::int64_t>{3}}};
  spec.existing_outputs = {w};
  EXPECT_EQ(append_operator(impl(), spec), std::vector<VarId>{w});
  EXPECT_THAT([&] { append_operator(impl(), spec); },
              ThrowsMessage<Error>(HasSubstr("'w', which another operator computes")));
}

TEST_F(BuilderTest, ExistingOutputsMustFit) {
  OperatorSpec spec;
  spec.type = "fill_constant";
  spec.attributes = {{"shape", std::vector<std::int64_t>{4}}};
  spec.existing_outputs = {persistable("w", {3})};
  EXPECT_THAT([&] { append_operator(impl(), spec); },
              ThrowsMessage<Error>(HasSubstr("float32[4], but 'w' is float32[3]")));
  spec.existing_outputs = {data("x", {4}, kFloat32).id()};
  EXPECT_THAT([&] { append_operator(impl(), spec); },
              ThrowsMessage<Error>(HasSubstr("not persistable")));
}

TEST_F(BuilderTest, UsesGivenNames) {
  OperatorSpec spec;
  spec.type = "relu";
  spec.name = "first";
  spec.inputs = {{"x", {data("x", {2}, kFloat32).id()}}};
  spec.output_names = {"y"};
  EXPECT_EQ(block().var(append_operator(impl(), spec).front()).name, "y");
  EXPECT_EQ(block().ops[0].name, "first");
}

TEST_F(BuilderTest, ARefusalLeavesTheProgramAsItWas) {
  const Variable x = data("x", {2, 3}, kFloat32);
  const std::string before = main_.to_string();
  const std::uint64_t version = impl().version();
  const auto refused = [](const OpCall<Variable>& call, const std::string& message) {
    EXPECT_THAT([&] { (void)call.results(); }, ThrowsMessage<Error>(HasSubstr(message)));
  };
  using Call = OpCall<Variable>;
  refused(Call("rellu").input("x", x), "did you mean 'relu'");
  refused(Call("relu").input("y", x), "[relu] has no input 'y'");
  refused(Call("relu"), "'x' is missing");
  refused(Call("relu").input("x", x).input("x", x), "given twice");
  refused(Call("relu").inputs_of("x", {x, x}), "takes one");
  refused(Call("relu").inputs_of("x", {Variable()}), "undefined");
  refused(Call("relu").input("x", x).attr("slope", 1.0), "no attribute 'slope'");
  refused(Call("scale").input("x", x).attr("scale", true), "'scale' is a bool");
  refused(Call("matmul").input("x", x).input("y", x), "x has 3 columns and y has 2 rows");
  EXPECT_EQ(main_.to_string(), before);
  EXPECT_EQ(impl().version(), version);
  EXPECT_EQ(relu(x).name(), "relu_0.out");
}

TEST_F(BuilderTest, RefusesVariablesOfTwoPrograms) {
  const Variable x = data("x", {2}, kFloat32);
  const Program other;
  const ProgramGuard guard(other);
  const Variable y = data("y", {2}, kFloat32);
  EXPECT_THAT([&] { elementwise_add(x, y); },
              ThrowsMessage<Error>(AllOf(HasSubstr("'x'"), HasSubstr("different programs"))));
}

}  // namespace
}  // namespace loci::program
