#include "framework/optimizer/step_counts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/framework/optimizer/optimizer_plugins.h"

namespace loci::optimizer {
namespace {

using ::testing::ElementsAre;

using StepCountsTest = WithPlugins;

TEST_F(StepCountsTest, AdvanceWhatFollowsTogether) {
  CountList counts(Place("cpu"), 5);
  for (const std::int64_t at : {1, 2, 3}) counts.advance(at);
  counts.flush();
  EXPECT_THAT(counts.values(), ElementsAre(0, 1, 1, 1, 0));
  for (const std::int64_t at : {4, 0, 1, 3}) counts.advance(at);
  counts.flush();
  counts.flush();
  EXPECT_THAT(counts.values(), ElementsAre(1, 2, 1, 2, 1));
}

TEST_F(StepCountsTest, AreSetInTheTensorThatIsThere) {
  const CountList counts(Place("cpu"), 2);
  const Tensor before = counts.counts();
  counts.set({7, 40});
  EXPECT_THAT(before.to_vector<std::int64_t>(), ElementsAre(7, 40));
}

}  // namespace
}  // namespace loci::optimizer
