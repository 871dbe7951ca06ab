#include "framework/ops/normalization.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/recording_emitter.h"

namespace loci::ops {
namespace {

using test_support::RecordingEmitter;
using ::testing::ElementsAre;

TEST(NormalizationTest, StatisticsOfShortFloatsAreLonger) {
  EXPECT_EQ(statistics_dtype(kFloat16), kFloat32);
  EXPECT_EQ(statistics_dtype(kBFloat16), kFloat32);
  EXPECT_EQ(statistics_dtype(kFloat32), kFloat32);
  EXPECT_EQ(statistics_dtype(kFloat64), kFloat64);
}

TEST(NormalizationTest, ShortFloatsAreNormalizedInTheDtypeOfTheStatistics) {
  RecordingEmitter emitter;
  const Value x = emitter.add("x", {kFloat16, {2, 3}});
  const Value mean = emitter.add("mean", {kFloat32, {2, 1}});
  const Value result = normalized(x, mean, mean);
  EXPECT_THAT(
      emitter.calls(),
      ElementsAre("%0 = cast(x: x, dtype: float32)", "%1 = elementwise_sub(x: %0, y: mean)",
                  "%2 = elementwise_mul(x: %1, y: mean)", "%3 = cast(x: %2, dtype: float16)"));
  EXPECT_EQ(emitter.type(result), (TensorType{kFloat16, {2, 3}}));
}

}  // namespace
}  // namespace loci::ops
