#include "tools/loci/probe/loci_build.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/version.hpp>

namespace loci::runner {
namespace {

TEST(LociBuildTest, HasTheVersionAndIsTheSameEachTime) {
  EXPECT_THAT(loci_build(), ::testing::StartsWith(std::string(version()) + " "));
  EXPECT_THAT(loci_build().substr(version().size() + 1), ::testing::MatchesRegex("([0-9a-f]{2})*"));
  EXPECT_EQ(loci_build(), loci_build());
}

}  // namespace
}  // namespace loci::runner
