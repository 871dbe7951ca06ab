#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>

#include "framework/ops/infer_context.h"

namespace loci::ops {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

using Inputs = std::vector<std::vector<InferArgument>>;

InferArgument argument(const char* name, const Shape& shape, DType dtype = kFloat32) {
  return {{dtype, shape}, name, {}};
}

OpSchema example() {
  OpSchema schema("example");
  schema.input("x", kFloats).input("y", kAllDTypes, Arity::kOptional).output("out");
  schema.attr("axis", std::int64_t{-1});
  schema.infer([](InferContext& ctx) { ctx.set_output("out", ctx.input("x")); });
  return schema;
}

class InferContextTest : public ::testing::Test {
 protected:
  InferContext context(Inputs inputs) { return {schema_, std::move(inputs), attributes_}; }

  OpSchema schema_ = example();
  Attributes attributes_ = schema_.complete({});
};

TEST_F(InferContextTest, GivesArgumentsBySlot) {
  const InferContext ctx = context({{argument("a", {2, 3})}});
  EXPECT_TRUE(ctx.has_input("x"));
  EXPECT_FALSE(ctx.has_input("y"));
  EXPECT_EQ(ctx.input_count("x"), 1U);
  EXPECT_EQ(ctx.shape("x"), (Shape{2, 3}));
  EXPECT_EQ(ctx.dtype("x"), kFloat32);
  EXPECT_FALSE(ctx.host_value("x").defined());
}

TEST_F(InferContextTest, RefusesAnEmptyRequiredSlot) {
  EXPECT_THAT([&] { (void)context({}); },
              ThrowsMessage<Error>(HasSubstr("[example] input 'x' is missing")));
}

TEST_F(InferContextTest, RefusesSeveralArgumentsOfOneSlot) {
  const Inputs inputs{{argument("a", {}), argument("b", {})}};
  EXPECT_THAT([&] { (void)context(inputs); },
              ThrowsMessage<Error>(HasSubstr("input 'x' has 2 arguments; it takes one")));
}

TEST_F(InferContextTest, OfManyInputsAMessageDescribesTheFirst) {
  OpSchema schema("joined");
  schema.input("x", kFloats, Arity::kVariadic).output("out");
  Inputs inputs(1);
  for (int i = 0; i < 60; ++i) inputs[0].push_back(argument("a", {2}));
  const Attributes none = schema.complete({});
  const InferContext ctx(schema, inputs, none);
  EXPECT_THAT([&] { ctx.fail("they differ"); },
              ThrowsMessage<Error>(AllOf(HasSubstr("[joined] they differ; inputs: x 'a' float32"),
                                         HasSubstr("x 'a' float32[2] and 50 more"))));
}

TEST_F(InferContextTest, RefusesADTypeThatTheSlotDoesNotTake) {
  const Inputs inputs{{argument("a", {2}, kInt32)}};
  EXPECT_THAT([&] { (void)context(inputs); },
              ThrowsMessage<Error>(AllOf(HasSubstr("input 'x' is int32"), HasSubstr("float64"),
                                         HasSubstr("x 'a' int32[2]"))));
}

TEST_F(InferContextTest, AFailureNamesOpAndArguments) {
  const InferContext ctx = context({{argument("a", {2, -1})}, {argument("b", {}, kBool)}});
  EXPECT_THAT([&] { ctx.fail("extent {} is odd", 3); },
              ThrowsMessage<Error>(::testing::StrEq(
                  "[example] extent 3 is odd; inputs: x 'a' float32[2, -1], y 'b' bool[]")));
}

TEST_F(InferContextTest, CountsNegativeAxesFromTheEnd) {
  EXPECT_EQ(context({{argument("a", {2, 3})}}).axis("axis", 2), 1);
}

TEST_F(InferContextTest, RefusesAnAxisOutOfRange) {
  attributes_["axis"] = std::int64_t{2};
  const InferContext ctx = context({{argument("a", {2, 3})}});
  EXPECT_THAT([&] { (void)ctx.axis("axis", 2); },
              ThrowsMessage<Error>(HasSubstr("axis is 2; give one in [-2, 2)")));
  EXPECT_THAT([&] { (void)ctx.axis("axis", 0); }, ThrowsMessage<Error>(HasSubstr("rank 0")));
}

TEST_F(InferContextTest, RunsTheInference) {
  InferContext ctx = context({{argument("a", {2, 3})}});
  ctx.run();
  ASSERT_EQ(ctx.outputs().size(), 1U);
  EXPECT_EQ(ctx.outputs()[0][0], (TensorType{kFloat32, {2, 3}}));
}

TEST_F(InferContextTest, AnUpdateKeepsTheTypeOfTheState) {
  schema_ = OpSchema("step").input("x").updates("x_out", "x").infer([](InferContext&) {});
  InferContext ctx = context({{argument("a", {4})}});
  ctx.run();
  EXPECT_EQ(ctx.outputs()[0][0], (TensorType{kFloat32, {4}}));
}

TEST_F(InferContextTest, AnOutputHasTheDTypeThatItsSlotSays) {
  schema_.infer([](InferContext& ctx) { ctx.set_output("out", {kFloat16, {2}}); });
  InferContext ctx = context({{argument("a", {2})}});
  EXPECT_THAT([&] { ctx.run(); },
              ThrowsMessage<Error>("[example] inference makes output 'out' float16; its schema "
                                   "says as x, float32"));
  InferContext half = context({{argument("a", {2}, kFloat16)}});
  EXPECT_NO_THROW(half.run());
}

TEST_F(InferContextTest, RefusesAnOutputThatIsTooLarge) {
  schema_.infer([](InferContext& ctx) { ctx.set_output("out", {kFloat32, {-1, 1L << 61}}); });
  InferContext ctx = context({{argument("a", {1})}});
  EXPECT_THAT([&] { ctx.run(); }, ThrowsMessage<Error>(HasSubstr("more than 2^63 bytes")));
}

TEST_F(InferContextTest, RefusesAnInputThatIsTooLarge) {
  EXPECT_THAT(
      [&] {
        context({{argument("a", {-1, 1L << 61})}});
      },
      ThrowsMessage<Error>(HasSubstr("input 'x' would be float32[-1, 2305843009213693952], "
                                     "which is more than 2^63 bytes")));
  EXPECT_NO_THROW(context({{argument("a", {1L << 62, 0, 1L << 62})}}));
}

TEST_F(InferContextTest, DefectsOfTheInferenceAreInternalErrors) {
  InferContext ctx = context({{argument("a", {2})}});
  EXPECT_THAT([&] { ctx.set_output("result", {}); },
              ThrowsMessage<Error>(HasSubstr("sets 'result', which is no output")));
  EXPECT_THAT([&] { (void)ctx.input("z"); }, ThrowsMessage<Error>(HasSubstr("'z'")));
  EXPECT_THAT([&] { (void)ctx.input("y"); }, ThrowsMessage<Error>(HasSubstr("which has 0")));
  EXPECT_THAT([&] { (void)ctx.attr<bool>("flag"); }, ThrowsMessage<Error>(HasSubstr("'flag'")));
  schema_.infer([](InferContext&) {});
  EXPECT_THAT([&] { ctx.run(); }, ThrowsMessage<Error>(HasSubstr("leaves output 'out' unset")));
}

}  // namespace
}  // namespace loci::ops
