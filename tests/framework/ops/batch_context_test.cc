#include "framework/ops/batch_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/ops/op_registry.h"
#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::infer;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// An op of two inputs with this rule.
class BatchContextTest : public ::testing::Test {
 protected:
  static OpSchema schema(BatchRule rule) {
    return OpSchema("pair")
        .input("x")
        .input("y")
        .output("out")
        .output("total")
        .infer([](InferContext& ctx) {
          ctx.set_output("out", ctx.input("x"));
          ctx.set_output("total", {kFloat32, Shape{1}});
        })
        .batch_rule(std::move(rule));
  }
  static bool keeps(const OpSchema& schema, const Shape& x, const Shape& y, bool x_carries,
                    bool y_carries) {
    const Attributes none;
    InferContext types(schema, {{{{kFloat32, x}, "x", {}}}, {{{kFloat32, y}, "y", {}}}}, none);
    types.run();
    BatchContext rows(types, {{x_carries ? Carried::kRows : Carried::kNothing},
                              {y_carries ? Carried::kRows : Carried::kNothing}});
    return is_batch_independent(rows);
  }
};

TEST_F(BatchContextTest, ARuleSeesWhatCarriesRows) {
  const OpSchema op = schema([](BatchContext& ctx) {
    EXPECT_TRUE(ctx.carries("x"));
    EXPECT_FALSE(ctx.carries("y"));
    EXPECT_FALSE(ctx.carries("x", 1)) << "which is not there";
    EXPECT_TRUE(ctx.carries_any());
    EXPECT_EQ(ctx.shape("y"), Shape({5}));
    EXPECT_THAT([&] { (void)ctx.carries("z"); }, ThrowsMessage<Error>(HasSubstr("reads 'z'")));
    EXPECT_THAT([&] { ctx.leave_whole("z"); }, ThrowsMessage<Error>(HasSubstr("speaks of 'z'")));
    EXPECT_FALSE(ctx.is_index("x", 3)) << "it is computed";
    EXPECT_TRUE(ctx.is_index("y", 3));
    EXPECT_FALSE(ctx.is_index("y", 0)) << "there is nothing to choose from";
    ctx.leave_whole("total");
    EXPECT_FALSE(ctx.is_whole(0));
    EXPECT_TRUE(ctx.is_whole(1));
    return true;
  });
  EXPECT_TRUE(keeps(op, {4, 3}, {5}, true, false));
}

TEST_F(BatchContextTest, WithoutARuleRowsAreMixed) {
  EXPECT_FALSE(keeps(schema(nullptr), {4, 3}, {4, 3}, true, true));
}

TEST_F(BatchContextTest, WhatIsNotWholeHasARowForEach) {
  const OpSchema op = schema([](BatchContext&) { return true; });
  EXPECT_FALSE(keeps(op, {4, 3}, {4, 3}, true, true)) << "total has one";
  EXPECT_TRUE(keeps(op, {1, 3}, {1, 3}, true, true));
}

TEST_F(BatchContextTest, InputsAgreeInTheirRows) {
  const OpSchema op = schema([](BatchContext& ctx) {
    ctx.leave_whole("total");
    return true;
  });
  EXPECT_TRUE(keeps(op, {4, 3}, {4}, true, true));
  EXPECT_FALSE(keeps(op, {4, 3}, {5}, true, true));
  EXPECT_FALSE(keeps(op, {4, 3}, {}, true, true));
  EXPECT_FALSE(keeps(op, {kDynamicDim, 3}, {5}, true, false)) << "nobody knows how many";
}

TEST(KeepsRowsTest, StateThatHangsOnRowsIsMixed) {
  OpSchema op("count");
  op.input("x").input("state").updates("state_out", "state");
  op.infer([](InferContext&) {}).batch_rule([](BatchContext&) { return true; });
  const Attributes none;
  InferContext types(op, {{{{kFloat32, {4}}, "x", {}}}, {{{kFloat32, {4}}, "s", {}}}}, none);
  types.run();
  BatchContext rows(types, {{Carried::kRows}, {Carried::kNothing}});
  EXPECT_FALSE(is_batch_independent(rows));
}

TEST(KeepsRowsTest, WhatTheHostReadsMixesRows) {
  EXPECT_FALSE(
      infer("expand").input("x", {1, 3}).rows("shape_tensor", {2}, kInt64).is_batch_independent());
}

}  // namespace
}  // namespace loci::ops
