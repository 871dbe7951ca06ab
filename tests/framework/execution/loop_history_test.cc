#include "framework/execution/loop_history.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace loci::execution {
namespace {

// Counts iterations in an int64.
class LoopHistoryTest : public ::testing::Test {
 protected:
  static std::int64_t& at(void* data) { return *static_cast<std::int64_t*>(data); }

  void walk(std::int64_t count) {
    LoopHistory history(types_, [this](const auto& values, const auto& next) {
      ++iterations_;
      at(next[0].data) = at(values[0]) + 1;
    });
    std::int64_t begin = 100;
    std::vector<void*> values{&begin};
    for (std::int64_t i = 0; i < count; ++i) {
      values = history.advance(values);
      ASSERT_EQ(at(values[0]), 100 + i + 1);
      most_ = std::max(most_, history.held());
    }
    for (std::int64_t i = count; i-- > 0;) {
      ASSERT_EQ(at(history.values_before(i)[0]), 100 + i);
      most_ = std::max(most_, history.held());
    }
  }

  std::vector<PlanResult> types_{{"i", "", {kInt64, Shape{1}}, nullptr}};
  std::int64_t iterations_ = 0;
  std::size_t most_ = 0;
};

TEST_F(LoopHistoryTest, GivesAllValuesBack) {
  for (const int count : {0, 1, 2, 63, 64, 65, 66, 127, 128, 129, 200, 1000, 4321}) walk(count);
}

TEST_F(LoopHistoryTest, KeepsFewAndRepeatsEachIterationOnce) {
  constexpr std::int64_t kCount = 100'000;
  walk(kCount);
  EXPECT_LE(iterations_, 2 * kCount);
  EXPECT_LE(static_cast<double>(most_), 4 * std::sqrt(kCount));
}

TEST_F(LoopHistoryTest, KeepsAllOfAShortLoop) {
  walk(60);
  EXPECT_EQ(iterations_, 60);
}

}  // namespace
}  // namespace loci::execution
