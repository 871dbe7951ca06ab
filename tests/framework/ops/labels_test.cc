#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::infer;
using ::testing::HasSubstr;

std::string error_of(const Shape& x, const Shape& label, DType dtype, bool soft) {
  return infer("cross_entropy")
      .input("x", x)
      .input("label", label, dtype)
      .attr("soft_label", soft)
      .error();
}

Shape losses(const Shape& x, const Shape& label, DType dtype = kInt64) {
  return infer("cross_entropy")
      .input("x", x)
      .input("label", label, dtype)
      .attr("soft_label", is_floating(dtype))
      .shape();
}

TEST(LabelsTest, HardLabelsMayHaveAColumn) {
  EXPECT_EQ(losses({4, 10}, {4}), (Shape{4, 1}));
  EXPECT_EQ(losses({4, 10}, {4, 1}), (Shape{4, 1}));
  EXPECT_EQ(losses({2, 4, 10}, {2, 4}, kInt32), (Shape{2, 4, 1}));
  EXPECT_EQ(losses({10}, {}), (Shape{1}));
  EXPECT_EQ(losses({10}, {1}), (Shape{1}));
}

TEST(LabelsTest, ExtentsKnownToEitherAreKnown) {
  EXPECT_EQ(losses({-1, 10}, {4}), (Shape{4, 1}));
  EXPECT_EQ(losses({-1, 10}, {-1, 1}), (Shape{-1, 1}));
  EXPECT_EQ(losses({-1, 10}, {4, -1}, kFloat32), (Shape{4, 1}));
}

TEST(LabelsTest, RefusesShapesThatDoNotFit) {
  EXPECT_THAT(
      error_of({4, 10}, {5}, kInt64, false),
      HasSubstr("label is [5]; for scores [4, 10] hard labels have the shape [4] or [4, 1]"));
  EXPECT_THAT(error_of({4, 10}, {4, 10}, kInt64, false), HasSubstr("label is [4, 10]"));
  EXPECT_THAT(error_of({4, 10}, {4, 1}, kFloat32, true),
              HasSubstr("label is [4, 1]; it must be [4, 10], the shape of the scores"));
}

TEST(LabelsTest, RefusesDTypesThatDoNotFit) {
  EXPECT_THAT(error_of({4, 10}, {4}, kFloat32, false),
              HasSubstr("label is float32; hard labels are int32, int64; set soft_label"));
  EXPECT_THAT(error_of({4, 10}, {4, 10}, kFloat64, true),
              HasSubstr("x is float32 and label is float64"));
}

TEST(LabelsTest, RefusesScoresWithoutClasses) {
  EXPECT_THAT(error_of({}, {}, kInt64, false), HasSubstr("x has no dimension of classes"));
  EXPECT_THAT(error_of({4, 0}, {4}, kInt64, false), HasSubstr("x has no classes"));
}

}  // namespace
}  // namespace loci::ops
