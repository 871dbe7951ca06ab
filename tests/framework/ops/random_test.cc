#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/infer_probe.h"

namespace loci::ops {
namespace {

using test_support::infer;
using ::testing::HasSubstr;
using Integers = std::vector<std::int64_t>;

test_support::InferProbe random_op(const char* name) {
  return infer(name).input("state", {2}, kUInt64).attr("shape", Integers{4});
}

TEST(RandomTest, OpsHaveTheirAttributes) {
  EXPECT_EQ(random_op("uniform_random").attr("dtype", kFloat64).types().front(),
            (TensorType{kFloat64, {4}}));
  EXPECT_EQ(random_op("gaussian_random").types().front(), (TensorType{kFloat32, {4}}));
}

TEST(RandomTest, OpsAreFloating) {
  EXPECT_THAT(random_op("uniform_random").attr("dtype", kInt32).error(),
              HasSubstr("dtype is int32; give one of float16"));
}

TEST(RandomTest, OpsCheckStateAndOffset) {
  EXPECT_THAT(
      infer("gaussian_random").input("state", {4}, kUInt64).attr("shape", Integers{}).error(),
      HasSubstr("state is [4]; it must be [2], the seed and the run"));
  EXPECT_THAT(random_op("gaussian_random").attr("offset", std::int64_t{-1}).error(),
              HasSubstr("offset is -1"));
}

TEST(RandomTest, FoldInMakesAState) {
  EXPECT_EQ(infer("random_fold_in").input("state", {2}, kUInt64).types().front(),
            (TensorType{kUInt64, {2}}));
  EXPECT_EQ(infer("random_fold_in")
                .input("state", {3}, kUInt64)
                .input("index", {1}, kInt64)
                .types()
                .front(),
            (TensorType{kUInt64, {2}}));
}

TEST(RandomTest, FoldInChecksWhatItFolds) {
  const auto fold = [] { return infer("random_fold_in").input("state", {2}, kUInt64); };
  EXPECT_THAT(fold().input("index", {2}, kInt64).error(),
              HasSubstr("index is [2]; it must be [1], one number"));
  EXPECT_THAT(fold().attr("offset", std::int64_t{-1}).error(), HasSubstr("offset is -1"));
  EXPECT_THAT(infer("random_fold_in").input("state", {4}, kUInt64).error(),
              HasSubstr("state is [4]; it must be [2], the seed and the run"));
}

TEST(RandomTest, UniformNeedsARange) {
  EXPECT_THAT(random_op("uniform_random").attr("low", 1.0).error(),
              HasSubstr("low is 1 and high is 1; give finite ones with low < high"));
  EXPECT_THAT(random_op("uniform_random").attr("high", HUGE_VAL).error(), HasSubstr("inf"));
}

TEST(RandomTest, UniformBoundsAreNumbersOfTheDType) {
  EXPECT_THAT(random_op("uniform_random").attr("high", 1e39).error(),
              HasSubstr("low is 0 and high is 1e+39, but float32 ends at 3.40"));
  EXPECT_THAT(random_op("uniform_random").attr("low", -65505.0).attr("dtype", kFloat16).error(),
              HasSubstr("float16 ends at 65504; give bounds within that, or a wider dtype"));
  EXPECT_THAT(random_op("uniform_random").attr("high", 3.4e38).attr("dtype", kBFloat16).error(),
              HasSubstr("bfloat16 ends at 3.38"));
  EXPECT_NO_THROW((void)random_op("uniform_random").attr("low", -3e38).attr("high", 3e38).types());
}

TEST(RandomTest, GaussianNeedsADeviation) {
  EXPECT_THAT(random_op("gaussian_random").attr("deviation", -1.0).error(),
              HasSubstr("deviation is -1"));
  EXPECT_THAT(random_op("gaussian_random").attr("mean", HUGE_VAL).error(),
              HasSubstr("mean is inf"));
  EXPECT_EQ(random_op("gaussian_random").attr("deviation", 0.0).error(), "no error");
}

TEST(RandomTest, AdvanceUpdatesTheState) {
  EXPECT_EQ(infer("random_advance").input("state", {2}, kUInt64).types().front(),
            (TensorType{kUInt64, {2}}));
  EXPECT_THAT(infer("random_advance").input("state", {1}, kUInt64).error(),
              HasSubstr("state is [1]"));
}

}  // namespace
}  // namespace loci::ops
