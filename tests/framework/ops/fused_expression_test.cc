#include "framework/ops/fused_expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>

#include "framework/ops/op_registry.h"

namespace loci::ops {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;
using Strings = std::vector<std::string>;

std::int64_t code(DType dtype) { return static_cast<std::int64_t>(dtype); }

// scale(gelu(x + y)) of float32.
Attributes expression() {
  return {{"ops", Strings{"elementwise_add", "gelu", "scale"}},
          {"operands", Integers{2, 0, 1, 1, 2, 1, 3}},
          {"dtypes", Integers(3, code(kFloat32))},
          {"constants", Reals{1, 0.5, -2}},
          {"results", Integers{4}}};
}

Attributes with(const char* name, Attribute value) {
  Attributes changed = expression();
  changed[name] = std::move(value);
  return changed;
}

std::string error(const Attributes& attributes, std::size_t inputs = 2) {
  try {
    (void)read_fused_expression(attributes, inputs);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    return error.what();
  }
  return "no error";
}

TEST(FusedExpressionTest, ReadsSteps) {
  const FusedExpression read = read_fused_expression(expression(), 2);
  ASSERT_EQ(read.steps.size(), 3U);
  EXPECT_EQ(read.steps[0].schema->name(), "elementwise_add");
  EXPECT_THAT(read.steps[0].operands, ElementsAre(0, 1));
  EXPECT_TRUE(std::get<bool>(read.steps[1].attributes.at("approximate")));
  EXPECT_EQ(std::get<double>(read.steps[2].attributes.at("scale")), 0.5);
  EXPECT_EQ(std::get<double>(read.steps[2].attributes.at("bias")), -2);
  EXPECT_EQ(read.steps[2].dtype, kFloat32);
  EXPECT_THAT(read.results, ElementsAre(4));
}

TEST(FusedExpressionTest, WritesWhatItRead) {
  EXPECT_EQ(fused_attributes(read_fused_expression(expression(), 2)), expression());
}

TEST(FusedExpressionTest, ACastIsToTheDtypeOfItsStep) {
  const FusedExpression read = read_fused_expression({{"ops", Strings{"cast"}},
                                                      {"operands", Integers{1, 0}},
                                                      {"dtypes", Integers{code(kInt8)}},
                                                      {"constants", Reals{}},
                                                      {"results", Integers{1}}},
                                                     1);
  EXPECT_EQ(std::get<DType>(read.steps[0].attributes.at("dtype")), kInt8);
}

TEST(FusedExpressionTest, RefusesABadNumberOfSteps) {
  EXPECT_THAT(error(with("ops", Strings{})), HasSubstr("ops is empty; give at least one step"));
  EXPECT_THAT(error(with("ops", Strings(33, "relu"))),
              HasSubstr("there are 33 steps; give at most 32"));
  EXPECT_THAT(error(expression(), 17), HasSubstr("there are 17 inputs; give at most 16"));
}

TEST(FusedExpressionTest, RefusesAnUnknownOp) {
  EXPECT_THAT(error(with("ops", Strings{"elementwise_add", "softmax", "scale"})),
              HasSubstr("step 1 is 'softmax', which is no elementwise op that can be fused"));
}

TEST(FusedExpressionTest, RefusesBadOperands) {
  EXPECT_THAT(error(with("operands", Integers{2, 0, 2, 1, 2, 1, 3})),
              HasSubstr("step 0, elementwise_add, reads value 2; before it there are 2"));
  EXPECT_THAT(error(with("operands", Integers{2, 0, -1, 1, 2, 1, 3})),
              HasSubstr("step 0, elementwise_add, reads value -1"));
  EXPECT_THAT(error(with("operands", Integers{2, 0, 1, 2, 2, 1, 1, 3})),
              HasSubstr("step 1, gelu, has 2 operands; it takes 1"));
  EXPECT_THAT(error(with("operands", Integers{2, 0, 1, 1, 2, 1})),
              HasSubstr("operands ends within step 2, scale"));
  EXPECT_THAT(error(with("operands", Integers{2, 0, 1, 1, 2, 1, 3, 1})),
              HasSubstr("operands has 8 numbers and the steps take 7"));
  EXPECT_THAT(error(expression(), 1), HasSubstr("reads value 1"));
  EXPECT_THAT(error(with("operands", Integers{2, 0, 0, 1, 2, 1, 3})),
              HasSubstr("no step reads input 1"));
}

TEST(FusedExpressionTest, RefusesBadDtypes) {
  EXPECT_THAT(error(with("dtypes", Integers{code(kFloat32)})),
              HasSubstr("dtypes has 1 items and ops 3"));
  for (const std::int64_t bad : {std::int64_t{0}, std::int64_t{14}, std::int64_t{-1}}) {
    EXPECT_THAT(error(with("dtypes", Integers{code(kFloat32), bad, code(kFloat32)})),
                HasSubstr("step 1, gelu, has the dtype code " + std::to_string(bad)));
  }
}

TEST(FusedExpressionTest, RefusesBadConstants) {
  EXPECT_THAT(error(with("constants", Reals{1, 2})),
              HasSubstr("constants ends within step 2, scale"));
  EXPECT_THAT(error(with("constants", Reals{1, 2, 3, 4})),
              HasSubstr("constants has 4 numbers and the steps take 3"));
}

TEST(FusedExpressionTest, RefusesBadResults) {
  EXPECT_THAT(error(with("results", Integers{})), HasSubstr("results is empty"));
  EXPECT_THAT(error(with("results", Integers{1})),
              HasSubstr("results has value 1; those of steps are in [2, 4]"));
  EXPECT_THAT(error(with("results", Integers{5})), HasSubstr("results has value 5"));
  EXPECT_THAT(error(with("results", Integers{4, 3, 4})), HasSubstr("results has value 4 twice"));
}

TEST(FusedExpressionTest, AStepHasTheTypeThatItsOpGives) {
  const FusedExpression read = read_fused_expression(expression(), 2);
  const std::vector<TensorType> values{{kFloat32, {2, 1}}, {kFloat32, {3}}};
  EXPECT_EQ(type_of_step(read.steps[0], 0, values), (TensorType{kFloat32, {2, 3}}));
}

TEST(FusedExpressionTest, RefusesAnotherDtypeThanTheStepGives) {
  FusedExpression read = read_fused_expression(expression(), 2);
  read.steps[0].dtype = kFloat16;
  const std::vector<TensorType> values{{kFloat32, {2}}, {kFloat32, {2}}};
  try {
    (void)type_of_step(read.steps[0], 7, values);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("step 7, elementwise_add, gives float32, and dtypes says float16"));
  }
}

// All attributes of an op are constants of its step, but for the dtype that a cast is to; and it
// takes its operands in the order of its slots, one each.
TEST(FusedExpressionTest, FusableOpsAreAsTheirSchemasSay) {
  for (const sdk::FusableOp& op : sdk::kFusableOps) {
    SCOPED_TRACE(std::string(op.name));
    const OpSchema& schema = op_registry().get(op.name);
    EXPECT_TRUE(schema.only_computes());
    EXPECT_EQ(schema.version(), 1);
    EXPECT_EQ(schema.inputs().size(), op.operands);
    for (const InputSlot& slot : schema.inputs()) EXPECT_EQ(slot.arity, Arity::kRequired);
    EXPECT_EQ(schema.outputs().size(), 1U);
    EXPECT_EQ(schema.attributes().size(), op.constant_count() + (op.name == "cast" ? 1 : 0));
    for (std::size_t i = 0; i < op.constant_count(); ++i) {
      EXPECT_NE(schema.find_attribute(op.constants[i]), nullptr);
    }
  }
}

}  // namespace
}  // namespace loci::ops
