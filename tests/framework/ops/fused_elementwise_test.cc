#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/ops/op_registry.h"
#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::infer;
using test_support::InferProbe;
using ::testing::HasSubstr;

using Integers = std::vector<std::int64_t>;
using Strings = std::vector<std::string>;

std::int64_t code(DType dtype) { return static_cast<std::int64_t>(dtype); }

// x < y as a float32, times x; both are outputs.
InferProbe chain() {
  return infer("fused_elementwise")
      .attr("ops", Strings{"less_than", "cast", "elementwise_mul"})
      .attr("operands", Integers{2, 0, 1, 1, 2, 2, 3, 0})
      .attr("dtypes", Integers{code(kBool), code(kFloat32), code(kFloat32)})
      .attr("results", Integers{4, 2});
}

InferProbe chain_of(const Shape& x, const Shape& y) { return chain().input("x", x).input("x", y); }

// relu of one input.
InferProbe single_step(const char* op, Integers operands) {
  return infer("fused_elementwise")
      .input("x", {2, 3})
      .attr("ops", Strings{op})
      .attr("operands", std::move(operands))
      .attr("dtypes", Integers{code(kFloat32)})
      .attr("results", Integers{1});
}

TEST(FusedElementwiseTest, HasTheTypesOfItsResults) {
  const std::vector<TensorType> types = chain_of({2, 3}, {3}).types();
  ASSERT_EQ(types.size(), 2U);
  EXPECT_EQ(types[0], (TensorType{kFloat32, {2, 3}}));
  EXPECT_EQ(types[1], (TensorType{kBool, {2, 3}}));
}

TEST(FusedElementwiseTest, KeepsUnknownExtents) {
  EXPECT_EQ(chain_of({-1, 3}, {3}).shape(), (Shape{-1, 3}));
}

TEST(FusedElementwiseTest, RefusesInputsThatDoNotFit) {
  EXPECT_THAT(infer("fused_elementwise")
                  .attr("ops", Strings{"relu"})
                  .attr("operands", Integers{1, 0})
                  .attr("dtypes", Integers{code(kFloat32)})
                  .attr("results", Integers{0})
                  .error(),
              HasSubstr("x is empty"));
  EXPECT_THAT(chain_of({2, 3}, {4}).error(), HasSubstr("step 0: [less_than]"));
  EXPECT_THAT(chain().input("x", {2, 3}).input("x", {3}, kFloat64).error(),
              HasSubstr("step 0: [less_than]"));
}

// relu of a row, that nothing makes as large as the other input.
TEST(FusedElementwiseTest, RefusesOutputsOfAnotherShape) {
  EXPECT_THAT(infer("fused_elementwise")
                  .input("x", {2, 3})
                  .input("x", {3})
                  .attr("ops", Strings{"relu", "tanh"})
                  .attr("operands", Integers{1, 0, 1, 1})
                  .attr("dtypes", Integers{code(kFloat32), code(kFloat32)})
                  .attr("results", Integers{2, 3})
                  .error(),
              HasSubstr("output 1 is [3] and the inputs broadcast to [2, 3]"));
}

TEST(FusedElementwiseTest, RefusesABadExpression) {
  EXPECT_THAT(single_step("softmax", {1, 0}).error(),
              HasSubstr("step 0 is 'softmax', which is no elementwise op that can be fused"));
}

TEST(FusedElementwiseTest, CountsTheStepsOfEachElement) {
  EXPECT_EQ(chain_of({2, 3}, {3}).cost().flops, 18);
}

TEST(FusedElementwiseTest, KeepsRowsApart) {
  EXPECT_TRUE(chain().rows("x", {2, 3}).input("x", {3}).is_batch_independent());
  EXPECT_FALSE(chain().input("x", {2, 3}).rows("x", {3}).is_batch_independent());
}

TEST(FusedElementwiseTest, HasNoGradient) {
  EXPECT_FALSE(op_registry().get("fused_elementwise").is_differentiable());
}

}  // namespace
}  // namespace loci::ops
