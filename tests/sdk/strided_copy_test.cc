#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <loci/plugin/dims.hpp>
#include <loci/plugin/strided_copy.hpp>
#include <numeric>
#include <vector>

namespace loci::sdk {
namespace {

using ::testing::ElementsAre;
using Loop = StridedCopyPlan::Loop;

// Runs any plan, unit by unit.
std::vector<std::int32_t> copied(const StridedCopyPlan& plan, const std::int32_t* from,
                                 std::size_t count) {
  std::vector<std::int32_t> to(count, -1);
  std::int64_t units = plan.rows();
  const std::size_t inner = plan.loop() == Loop::kTransposed ? 2 : plan.rank() > 0 ? 1 : 0;
  for (std::size_t i = 0; i < inner; ++i) units *= plan.inner(i).extent;
  for (std::int64_t i = 0; i < units && !plan.empty(); ++i) {
    const auto at = plan.offsets_of(i, plan.rank());
    std::memcpy(reinterpret_cast<char*>(to.data()) + at.to,
                reinterpret_cast<const char*>(from) + at.from,
                static_cast<std::size_t>(plan.unit()));
  }
  return to;
}

std::vector<std::int32_t> counting(std::size_t count) {
  std::vector<std::int32_t> values(count);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

TEST(StridedCopyTest, SameArrangementIsOneBlock) {
  StridedCopyPlan plan(4);
  plan.axis(2, 48, 48).axis(3, 16, 16).axis(4, 4, 4).resolve();
  EXPECT_EQ(plan.loop(), Loop::kBlock);
  EXPECT_EQ(plan.unit(), 96);
  EXPECT_EQ(plan.rank(), 0U);
  const auto x = counting(24);
  EXPECT_EQ(copied(plan, x.data(), 24), x);
}

TEST(StridedCopyTest, PartsAreLongRows) {
  const auto x = counting(24);
  StridedCopyPlan plan(4);  // [:, 1:3] of [4, 6]
  plan.axis(4, 24, 8).axis(2, 4, 4).resolve();
  EXPECT_EQ(plan.loop(), Loop::kRows);
  EXPECT_EQ(plan.unit(), 8);
  EXPECT_EQ(plan.rows(), 1);
  EXPECT_THAT(copied(plan, x.data() + 1, 8), ElementsAre(1, 2, 7, 8, 13, 14, 19, 20));
}

TEST(StridedCopyTest, TransposesAreTiles) {
  const auto x = counting(6);
  StridedCopyPlan plan(4);  // [2, 3] to [3, 2]
  plan.axis(3, 4, 8).axis(2, 12, 4).resolve();
  EXPECT_EQ(plan.loop(), Loop::kTransposed);
  EXPECT_EQ(plan.inner(0).to, 4);
  EXPECT_EQ(plan.inner(1).from, 4);
  EXPECT_THAT(copied(plan, x.data(), 6), ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST(StridedCopyTest, AxesMayComeInAnyOrderOfTheTarget) {
  const auto x = counting(24);
  const std::int64_t dims[] = {2, 3, 4};
  const Strides from = dense_strides({dims, 3}, 4);
  StridedCopyPlan plan(4);  // to [3, 2, 4], told in the order of the source
  plan.axis(2, from[0], 16).axis(3, from[1], 32).axis(4, from[2], 4).resolve();
  EXPECT_EQ(plan.unit(), 16);
  const auto to = copied(plan, x.data(), 24);
  for (std::size_t i = 0; i < 24; ++i) {
    EXPECT_EQ(to[i], static_cast<std::int32_t>(i / 4 % 2 * 12 + i / 8 * 4 + i % 4));
  }
}

TEST(StridedCopyTest, SourcesMayRepeatOrRunBackwards) {
  const auto x = counting(3);
  StridedCopyPlan repeated(4);
  repeated.axis(2, 0, 12).axis(3, 4, 4).resolve();
  EXPECT_THAT(copied(repeated, x.data(), 6), ElementsAre(0, 1, 2, 0, 1, 2));
  StridedCopyPlan reversed(4);
  reversed.axis(3, -4, 4).resolve();
  EXPECT_THAT(copied(reversed, x.data() + 2, 3), ElementsAre(2, 1, 0));
}

TEST(StridedCopyTest, LongUnitsAreNotTiled) {
  StridedCopyPlan plan(StridedCopyPlan::kMaxTiledUnit * 2);
  plan.axis(3, 32, 64).axis(2, 96, 32).resolve();
  EXPECT_EQ(plan.loop(), Loop::kRows);
}

TEST(StridedCopyTest, NothingIsEmpty) {
  StridedCopyPlan plan(4);
  EXPECT_TRUE(plan.axis(3, 4, 4).axis(0, 4, 4).resolve().empty());
  EXPECT_TRUE(StridedCopyPlan(0).resolve().empty());
  EXPECT_FALSE(StridedCopyPlan(4).resolve().empty());
}

}  // namespace
}  // namespace loci::sdk
