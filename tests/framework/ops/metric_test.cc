#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/ops/op_registry.h"
#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::infer;
using test_support::InferProbe;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

InferProbe accuracy(const Shape& x, const Shape& label, std::int64_t k) {
  return infer("accuracy").input("x", x).input("label", label, kInt64).attr("k", k);
}

TEST(MetricTest, ArgmaxDropsOrKeepsTheAxis) {
  EXPECT_EQ(infer("argmax").input("x", {-1, 3}).types()[0], (TensorType{kInt64, {-1}}));
  EXPECT_EQ(infer("argmax")
                .input("x", {2, 3, 4})
                .attr("axis", std::int64_t{1})
                .attr("keep_dim", true)
                .shape(),
            (Shape{2, 1, 4}));
}

TEST(MetricTest, ArgmaxRefusesABadAxis) {
  EXPECT_THAT(infer("argmax").input("x", {2, 3}).attr("axis", std::int64_t{-3}).error(),
              HasSubstr("axis is -3; give one in [-2, 2)"));
  EXPECT_THAT(infer("argmax").input("x", {2, 0}).error(),
              HasSubstr("x has no elements along axis 1"));
}

TEST(MetricTest, AccuracyCounts) {
  EXPECT_THAT(
      accuracy({-1, 10}, {-1, 1}, 5).types(),
      ElementsAre(TensorType{kFloat32, {}}, TensorType{kInt32, {}}, TensorType{kInt32, {}}));
}

TEST(MetricTest, AccuracyRefusesABadK) {
  EXPECT_THAT(accuracy({4, 10}, {4}, 0).error(), HasSubstr("k is 0; give one from 1 to"));
  EXPECT_THAT(accuracy({4, 10}, {4}, 11).error(), HasSubstr("k is 11"));
  EXPECT_EQ(accuracy({4, -1}, {4}, 11).error(), "no error");
}

TEST(MetricTest, AccuracyRefusesWhatDoesNotFit) {
  EXPECT_THAT(accuracy({4, 3, 10}, {4}, 1).error(), HasSubstr("give 2: [rows, classes]"));
  EXPECT_THAT(accuracy({4, 10}, {5}, 1).error(), HasSubstr("label is [5]"));
}

TEST(MetricTest, GradientsStopHere) {
  EXPECT_FALSE(op_registry().get("argmax").gradient_fn());
  EXPECT_FALSE(op_registry().get("accuracy").gradient_fn());
}

}  // namespace
}  // namespace loci::ops
