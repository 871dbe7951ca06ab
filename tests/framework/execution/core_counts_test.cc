#include "framework/execution/core_counts.h"

#include <gtest/gtest.h>

namespace loci::execution {
namespace {

TEST(CoreCountsTest, CountsRunsOfEitherWay) {
  CoreCounts counts;
  const CoreChoice choice;
  counts.note(choice, /*forks=*/true);
  counts.note(choice, /*forks=*/true);
  counts.note(choice, /*forks=*/false);
  const CoreCounts::Told told = counts.told();
  EXPECT_EQ(told.forked_runs, 2U);
  EXPECT_EQ(told.plain_runs, 1U);
  EXPECT_EQ(told.plain_ns, 0U);
  EXPECT_EQ(cores_text(40, 12, told),
            "threads share 40 launches in 12 pieces: 2 runs, 1 without that");
}

TEST(CoreCountsTest, TellsTimesOnceTheyAreKnown) {
  CoreCounts counts;
  CoreChoice choice;
  for (int i = 0; i < 16; ++i) {
    choice.note(choice.next() == CoreChoice::Way::kForked ? 11'300 : 17'100);
  }
  counts.note(choice, /*forks=*/true);
  EXPECT_EQ(cores_text(40, 12, counts.told()),
            "threads share 40 launches in 12 pieces: 1 runs, 0 without that; 11.3 us instead of "
            "17.1");
}

}  // namespace
}  // namespace loci::execution
