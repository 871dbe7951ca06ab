#include "framework/ops/dtype_rule.h"

#include <gtest/gtest.h>

#include "framework/ops/infer_context.h"

namespace loci::ops {
namespace {

// Returns what the rule makes of an input "x" of that dtype, and of none in "y".
DType of(const DTypeRule& rule, DType x) {
  OpSchema schema("typed");
  schema.input("x").input("y", kAllDTypes, Arity::kOptional).attr("dtype", kInt8);
  const Attributes attributes = schema.complete({});
  return rule.of(InferContext(schema, {{{{x, {2}}, "x", {}}}}, attributes));
}

TEST(DTypeRuleTest, SaysAndGivesTheDType) {
  EXPECT_EQ(DTypeRule::as("x").to_string(), "as x");
  EXPECT_EQ(of(DTypeRule::as("x"), kFloat16), kFloat16);
  EXPECT_EQ(DTypeRule::attribute("dtype").to_string(), "attribute dtype");
  EXPECT_EQ(DTypeRule::inferred("as it says").to_string(), "as it says");
  EXPECT_EQ(of(DTypeRule::inferred("as it says"), kFloat16), DType::kNone);
  EXPECT_EQ(of(DTypeRule::attribute("dtype"), kFloat16), kInt8);
  EXPECT_EQ(DTypeRule::always(kUInt8).to_string(), "uint8");
  EXPECT_EQ(of(DTypeRule::always(kUInt8), kFloat16), kUInt8);
}

TEST(DTypeRuleTest, FloatsOf16BitsAreComputedInFloat32) {
  const DTypeRule rule = DTypeRule::computed("x");
  EXPECT_EQ(rule.to_string(), "as x, float32 at least");
  EXPECT_EQ(of(rule, kFloat16), kFloat32);
  EXPECT_EQ(of(rule, kBFloat16), kFloat32);
  EXPECT_EQ(of(rule, kFloat32), kFloat32);
  EXPECT_EQ(of(rule, kFloat64), kFloat64);
}

TEST(DTypeRuleTest, WithoutARuleOrAnArgumentThereIsNone) {
  EXPECT_EQ(DTypeRule().to_string(), "");
  EXPECT_EQ(of(DTypeRule(), kFloat32), DType::kNone);
  EXPECT_EQ(of(DTypeRule::as("y"), kFloat32), DType::kNone);
  EXPECT_EQ(of(DTypeRule::computed("y"), kFloat32), DType::kNone);
}

}  // namespace
}  // namespace loci::ops
