#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/ops/op_registry.h"
#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::infer;
using ::testing::HasSubstr;

TEST(ControlFlowTest, SaysWhatDecidesAndThatItCannotBeCaptured) {
  for (const char* name : {"conditional_block", "case", "switch_case"}) {
    const OpSchema& schema = op_registry().get(name);
    EXPECT_TRUE(schema.has_blocks()) << name;
    EXPECT_TRUE(schema.inputs().front().decides) << name;
    EXPECT_EQ(schema.inputs().front().residence, Residence::kHost) << name;
    EXPECT_EQ(schema.outputs().back().updates, "captures") << name;
    EXPECT_THAT(schema.capture_refusal(), HasSubstr("the host reads in the run")) << name;
  }
  EXPECT_FALSE(op_registry().get("select_input").has_blocks());
  EXPECT_EQ(op_registry().get("select_input").control(), Control::kSelection);
  EXPECT_TRUE(op_registry().get("select_input").inputs().front().decides);
  EXPECT_TRUE(op_registry().get("while").has_blocks());
}

TEST(ControlFlowTest, LoopsKeepTheTypesOfTheirValues) {
  const auto loop = infer("while").input("values", {2, 3}).input("captures", {4}, kInt64);
  EXPECT_EQ(loop.types(), (std::vector<TensorType>{{kFloat32, {2, 3}}}));
  const auto gradient = infer("while_grad").input("values", {1}, kInt64).input("grads", {5});
  EXPECT_EQ(gradient.types(), (std::vector<TensorType>{{kFloat32, {5}}}));
  EXPECT_THAT(infer("while_grad").input("grads", {5}, kInt64).error(),
              HasSubstr("input 'grads' is int64"));
  EXPECT_THAT(infer("while").input("values", {1}).attr("max_iterations", std::int64_t{-1}).error(),
              HasSubstr("max_iterations is -1; give a positive number"));
}

TEST(ControlFlowTest, AScanSaysThatItCannotBeCaptured) {
  const OpSchema& schema = op_registry().get("scan");
  EXPECT_EQ(schema.control(), Control::kScan);
  EXPECT_TRUE(schema.has_blocks());
  EXPECT_EQ(schema.outputs().back().updates, "captures");
  EXPECT_THAT(schema.capture_refusal(), HasSubstr("each of its steps runs a plan of its own"));
}

TEST(ControlFlowTest, OthersAreInferredWithTheirBlocks) {
  EXPECT_THAT(infer("case").input("preds", {1}, kBool).error(),
              HasSubstr("its outputs are those of its blocks"));
  EXPECT_THAT(infer("scan").input("values", {1}).error(),
              HasSubstr("its outputs are those of its blocks"));
  EXPECT_THAT(infer("select_input").input("mask", {1}, kInt32).error(),
              HasSubstr("build it with select_input()"));
}

}  // namespace
}  // namespace loci::ops
