#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::infer;
using ::testing::HasSubstr;
using Integers = std::vector<std::int64_t>;

TEST(CreationTest, FillConstantHasItsAttributes) {
  const auto probe =
      infer("fill_constant").attr("shape", Integers{2, 0}).attr("dtype", kInt8).attr("value", 3.0);
  EXPECT_EQ(probe.shape(), (Shape{2, 0}));
  EXPECT_EQ(probe.dtype(), kInt8);
}

TEST(CreationTest, FillConstantRefusesAValueThatDoesNotFit) {
  const auto fill = [](double value, DType dtype) {
    return infer("fill_constant")
        .attr("shape", Integers{})
        .attr("value", value)
        .attr("dtype", dtype)
        .error();
  };
  EXPECT_THAT(fill(256.0, kUInt8), HasSubstr("value 256 does not fit into uint8"));
  EXPECT_THAT(fill(-1.0, kUInt64), HasSubstr("does not fit into uint64"));
  EXPECT_THAT(fill(0x1p63, kInt64), HasSubstr("does not fit into int64"));
  EXPECT_THAT(fill(std::numeric_limits<double>::quiet_NaN(), kInt32), HasSubstr("nan"));
  EXPECT_EQ(fill(-0x1p63, kInt64), "no error");
  EXPECT_EQ(fill(255.9, kUInt8), "no error");
  EXPECT_EQ(fill(1e300, kFloat32), "no error");
}

TEST(CreationTest, FillConstantTakesShapeAndValueFromTensors) {
  EXPECT_EQ(infer("fill_constant").host_values("shape_tensor", {2, 3}).shape(), (Shape{2, 3}));
  const auto unknown = infer("fill_constant").input("shape_tensor", {2}, kInt32);
  EXPECT_EQ(unknown.shape(), (Shape{-1, -1}));
  EXPECT_THAT(infer("fill_constant").input("value_tensor", {2}).error(),
              HasSubstr("value_tensor is [2]; give one element"));
}

TEST(CreationTest, AssignValueHasAnElementForEachPlace) {
  const auto assigned = [](const Shape& shape, DType dtype, const std::vector<double>& values,
                           const Integers& integers) {
    return infer("assign_value")
        .attr("shape", shape.dims())
        .attr("dtype", dtype)
        .attr("values", values)
        .attr("integers", integers);
  };
  EXPECT_EQ(assigned({2}, kFloat16, {1, 2}, {}).types()[0], (TensorType{kFloat16, {2}}));
  EXPECT_EQ(assigned({}, kBool, {}, {1}).types()[0], (TensorType{kBool, {}}));
  EXPECT_THAT(assigned({3}, kInt8, {}, {1}).error(),
              HasSubstr("1 elements are given for the shape [3]; give 3"));
  EXPECT_THAT(assigned({1}, kInt8, {1}, {}).error(), HasSubstr("a result of int8 takes integers"));
  EXPECT_THAT(assigned({1}, kFloat32, {}, {1}).error(),
              HasSubstr("a result of float32 takes values"));
}

TEST(CreationTest, FullLikeHasTheTypeOfX) {
  const auto like = infer("full_like").input("x", {-1, 3}, kUInt8);
  EXPECT_EQ(like.types()[0], (TensorType{kUInt8, {-1, 3}}));
  EXPECT_THAT(infer("full_like").input("x", {3}, kUInt8).attr("value", -1.0).error(),
              HasSubstr("value -1 does not fit into uint8"));
}

TEST(CreationTest, FillConstantRefusesNoDType) {
  EXPECT_THAT(infer("fill_constant").attr("shape", Integers{}).attr("dtype", DType::kNone).error(),
              HasSubstr("dtype is none"));
}

auto ranged(const Integers& bounds, DType dtype = kInt64) {
  return infer("range").attr("bounds", bounds).attr("dtype", dtype);
}

TEST(CreationTest, RangeCountsWhatLiesBeforeItsLimit) {
  EXPECT_EQ(ranged({0, 5, 1}).shape(), Shape{5});
  EXPECT_EQ(ranged({0, 5, 2}).shape(), Shape{3});
  EXPECT_EQ(ranged({0, 6, 2}).shape(), Shape{3});
  EXPECT_EQ(ranged({5, -1, -2}).shape(), Shape{3});
  EXPECT_EQ(ranged({5, 0, 1}).shape(), Shape{0});
  EXPECT_EQ(ranged({0, 0, -1}).shape(), Shape{0});
  EXPECT_EQ(ranged({0, 3, 1}, kFloat16).types()[0], (TensorType{kFloat16, {3}}));
}

TEST(CreationTest, RangeTakesDistancesThatInt64HasNot) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(ranged({kLeast, kMost, std::int64_t{1} << 62}).shape(), Shape{4});
  EXPECT_EQ(ranged({kMost, kLeast, kLeast}).shape(), Shape{2});
  EXPECT_THAT(ranged({kLeast, kMost, 1}).error(), HasSubstr("are more than a shape can have"));
}

TEST(CreationTest, RangeTakesItsBoundsFromATensor) {
  EXPECT_EQ(infer("range").host_values("bounds_tensor", {1, 8, 3}).shape(), Shape{3});
  EXPECT_EQ(infer("range").input("bounds_tensor", {3}, kInt32).shape(), Shape{-1});
}

TEST(CreationTest, RangeRefusesWhatItCannotCount) {
  EXPECT_THAT(ranged({0, 5, 0}).error(), HasSubstr("step is 0; give another number"));
  EXPECT_THAT(ranged({0, 5}).error(),
              HasSubstr("bounds has 2 elements; give three, start, limit and step"));
  EXPECT_THAT(ranged({}).error(), HasSubstr("bounds has 0 elements"));
  EXPECT_THAT(ranged({0, 200, 1}, kInt8).error(),
              HasSubstr("element 199 does not fit into int8; give bounds whose elements do"));
  EXPECT_THAT(ranged({-1, 3, 1}, kUInt64).error(),
              HasSubstr("element -1 does not fit into uint64"));
  EXPECT_EQ(ranged({0, 129, 128}, kInt16).error(), "no error");
  EXPECT_THAT(ranged({0, 3, 1}, kBool).error(), HasSubstr("dtype is bool; give one of"));
}

}  // namespace
}  // namespace loci::ops
