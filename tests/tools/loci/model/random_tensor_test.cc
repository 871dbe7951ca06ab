#include "tools/loci/model/random_tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "tests/tools/loci/failing.h"

namespace loci::runner {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::Lt;

TEST(RandomTensorTest, FloatsFillTheirRange) {
  const auto values = random_tensor({10000}, kFloat32, -1, 3, {0, "x"}).to_vector<float>();
  EXPECT_THAT(values, Each(AllOf(Ge(-1.0F), Le(3.0F))));
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  EXPECT_NEAR(sum / 10000, 1.0, 0.05);  // four standard errors
}

TEST(RandomTensorTest, IntegersTakeEveryValueBelowHigh) {
  const auto values = random_tensor({1000}, kInt64, -1, 2, {0, "x"}).to_vector<std::int64_t>();
  EXPECT_THAT(values, Each(AllOf(Ge(-1), Lt(2))));
  for (const std::int64_t value : {-1, 0, 1}) {
    EXPECT_GT(std::count(values.begin(), values.end(), value), 250);
  }
}

TEST(RandomTensorTest, BoundsBetweenIntegersAreRoundedInwards) {
  const auto values = random_tensor({100}, kInt32, 0.5, 2.5, {0, "x"}).to_vector<std::int32_t>();
  EXPECT_THAT(values, Each(AllOf(Ge(1), Le(2))));
}

TEST(RandomTensorTest, DependsOnSeedAndNameAlone) {
  const auto make = [](std::uint64_t seed, const char* name) {
    return random_tensor({16}, kFloat64, 0, 1, {seed, name}).to_vector<double>();
  };
  EXPECT_EQ(make(1, "x"), make(1, "x"));
  EXPECT_NE(make(1, "x"), make(2, "x"));
  EXPECT_NE(make(1, "x"), make(1, "y"));
}

TEST(RandomTensorTest, BoolsAreBoth) {
  const Tensor tensor = random_tensor({100}, kBool, 0, 1, {0, "x"});
  const bool* values = tensor.data<bool>();
  const auto count = std::count(values, values + 100, true);
  EXPECT_GT(count, 20);
  EXPECT_LT(count, 80);
}

TEST(RandomTensorTest, RefusesBoundsThatTheDtypeCannotHold) {
  const auto refusal = [](DType dtype, double low, double high) {
    return failure_of(ExitCode::kUsage, [&] { random_tensor({1}, dtype, low, high, {0, "ids"}); });
  };
  EXPECT_THAT(refusal(kUInt8, 0, 257), AllOf(HasSubstr("ids"), HasSubstr("uint8")));
  EXPECT_THAT(refusal(kUInt8, -1, 5), HasSubstr("uint8"));
  EXPECT_THAT(refusal(kInt64, 0.2, 0.7), HasSubstr("int64"));
  EXPECT_THAT(refusal(kInt64, 0, 1e300), HasSubstr("int64"));
  EXPECT_THAT(refusal(kFloat32, 0, 1e300), HasSubstr("beyond float32"));
}

}  // namespace
}  // namespace loci::runner
