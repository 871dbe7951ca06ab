#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <loci/error.hpp>
#include <loci/inspect_ops.hpp>

#include "framework/ops/op_registry.h"

namespace loci::inspect {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(OpReportTest, TellsSlotsAndAttributes) {
  const Op reshape = op("reshape");
  ASSERT_EQ(reshape.inputs.size(), 2U);
  EXPECT_EQ(reshape.inputs[0].arity, "required");
  EXPECT_EQ(reshape.inputs[0].residence, "device");
  EXPECT_EQ(reshape.inputs[1].name, "shape_tensor");
  EXPECT_EQ(reshape.inputs[1].arity, "optional");
  EXPECT_EQ(reshape.inputs[1].residence, "host");
  EXPECT_TRUE(reshape.inputs[1].gives_extents);
  EXPECT_THAT(reshape.inputs[1].dtypes, ElementsAre(kInt32, kInt64));
  EXPECT_EQ(reshape.outputs[0].extent, "host_values");
  const Op clip = op("clip");
  ASSERT_EQ(clip.attributes.size(), 2U);
  EXPECT_EQ(clip.attributes[0].kind, "float64");
  EXPECT_EQ(clip.attributes[0].meaning, "the least result");
  EXPECT_FALSE(clip.attributes[0].default_value);
  EXPECT_EQ(op("concat").inputs[0].arity, "variadic");
  EXPECT_EQ(op("reshape_like").inputs[1].residence, "metadata");
}

TEST(OpReportTest, TellsWhatOutputsAre) {
  EXPECT_EQ(op("sgd").outputs[0].updates, "param");
  EXPECT_EQ(op("shape").outputs[0].residence, "host");
  const Op nonzero = op("nonzero");
  EXPECT_EQ(nonzero.outputs[0].extent, "bounded");
  EXPECT_EQ(nonzero.outputs[0].count, nonzero.outputs[1].name);
}

TEST(OpReportTest, TellsWhichDTypeOutputsHave) {
  EXPECT_EQ(op("softmax").outputs[0].dtype, "as x");
  EXPECT_EQ(op("dropout").outputs[1].dtype, "uint8");
  EXPECT_EQ(op("cast").outputs[0].dtype, "attribute dtype");
  EXPECT_EQ(op("layer_norm").outputs[1].dtype, "as x, float32 at least");
  EXPECT_EQ(op("momentum").outputs[1].dtype, "as velocity");
  EXPECT_EQ(op("while").outputs[0].dtype, "");
}

TEST(OpReportTest, TellsHowAccurateAnOpIs) {
  EXPECT_EQ(op("transpose").accuracy, "exact");
  EXPECT_EQ(op("matmul").accuracy, "n + 1 roundoffs of sum |x * y|, n products; integers wrap");
  EXPECT_EQ(op("while").accuracy, "");
}

TEST(OpReportTest, TellsCostDecompositionAndGradient) {
  const Op softmax = op("softmax");
  EXPECT_TRUE(softmax.states_cost);
  EXPECT_TRUE(softmax.is_decomposable);
  EXPECT_TRUE(softmax.is_differentiable);
  EXPECT_THAT(softmax.gradient_ops,
              ElementsAre("elementwise_mul", "elementwise_sub", "reduce_sum"));
  EXPECT_THAT(op("relu").gradient_ops, ElementsAre("relu_grad"));
  EXPECT_FALSE(op("relu").states_cost);
  EXPECT_FALSE(op("cross_entropy_grad").is_differentiable);  // it throws
  EXPECT_FALSE(op("argmax").is_differentiable);
  EXPECT_TRUE(op("while").is_differentiable);
  EXPECT_TRUE(op("while").is_control_flow);
  EXPECT_THAT(op("while").not_capturable, HasSubstr("which operators run"));
  EXPECT_TRUE(op("dropout").is_random);
}

TEST(OpReportTest, TellsLimitsAndChoices) {
  ops::op_registry().add(ops::OpSchema("report.limited")
                             .add_attribute({.name = "count",
                                             .default_value = std::int64_t{2},
                                             .limited = true,
                                             .integer_minimum = 1,
                                             .integer_maximum = INT64_MAX})
                             .attr("mode", std::string("a"))
                             .one_of({"a", "b"})
                             .output("out")
                             .plugin("org.example.report")
                             .infer([](ops::InferContext&) {}));
  const Op limited = op("report.limited");
  EXPECT_EQ(limited.plugin, "org.example.report");
  EXPECT_EQ(limited.attributes[0].minimum, Attribute(std::int64_t{1}));
  EXPECT_FALSE(limited.attributes[0].maximum);
  EXPECT_THAT(limited.attributes[1].choices, ElementsAre("a", "b"));
}

TEST(OpReportTest, EveryOpOfOursHasAMeaningInOneLine) {
  for (const Op& each : ops()) {
    if (!each.plugin.empty()) continue;
    EXPECT_NE(each.meaning, "") << each.name;
    EXPECT_EQ(each.meaning.find('\n'), std::string::npos) << each.name;
    EXPECT_LE(each.meaning.size(), 120U) << each.name;
  }
}

TEST(OpReportTest, EveryAttributeOfOursHasAMeaningInOneLine) {
  for (const Op& each : ops()) {
    if (!each.plugin.empty()) continue;
    for (const OpAttribute& attribute : each.attributes) {
      const std::string where = each.name + " " + attribute.name;
      EXPECT_NE(attribute.meaning, "") << where;
      EXPECT_EQ(attribute.meaning.find('\n'), std::string::npos) << where;
      EXPECT_LE(attribute.meaning.size(), 120U) << where;
    }
  }
}

TEST(OpReportTest, EveryOpOfOursWithKernelsSaysDTypesAndAccuracy) {
  for (const Op& each : ops()) {
    if (!each.plugin.empty() || each.is_control_flow) continue;
    for (const OpOutput& output : each.outputs) EXPECT_NE(output.dtype, "") << each.name;
    EXPECT_NE(each.accuracy, "") << each.name;
    EXPECT_EQ(each.accuracy.find('\n'), std::string::npos) << each.name;
    EXPECT_LE(each.accuracy.size(), 300U) << each.name;
  }
}

TEST(OpReportTest, AnUnknownNameHasSuggestions) {
  EXPECT_THAT(
      [] { (void)op("sofmax"); },
      ThrowsMessage<Error>(HasSubstr("[sofmax] there is no such op; did you mean 'softmax'")));
}

}  // namespace
}  // namespace loci::inspect
