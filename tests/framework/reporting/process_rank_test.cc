#include "framework/reporting/process_rank.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace loci::reporting {
namespace {

class ProcessRankTest : public ::testing::Test {
 protected:
  ~ProcessRankTest() override {
    unsetenv("RANK");
    unsetenv("WORLD_SIZE");
  }
  static ProcessRank with(const char* rank, const char* world_size) {
    setenv("RANK", rank, 1);
    setenv("WORLD_SIZE", world_size, 1);
    return environment_rank();
  }
};

TEST_F(ProcessRankTest, IsAloneWithoutTheVariables) {
  EXPECT_EQ(environment_rank().rank, 0U);
  EXPECT_EQ(environment_rank().world_size, 1U);
}

TEST_F(ProcessRankTest, IsWhatALauncherSets) {
  const ProcessRank third = with("2", "4");
  EXPECT_EQ(third.rank, 2U);
  EXPECT_EQ(third.world_size, 4U);
}

TEST_F(ProcessRankTest, IsAloneWhereTheyMeanSomethingElse) {
  for (const auto& [rank, world_size] :
       {std::pair{"4", "4"}, {"-1", "4"}, {"1", ""}, {"1", "4x"}}) {
    EXPECT_EQ(with(rank, world_size).world_size, 1U) << rank << " of " << world_size;
  }
}

}  // namespace
}  // namespace loci::reporting
