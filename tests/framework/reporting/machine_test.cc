#include "framework/reporting/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/version.hpp>

namespace loci::reporting {
namespace {

using ::testing::HasSubstr;

TEST(MachineTest, SaysWhereAProfileWasMade) {
  EXPECT_EQ(this_program(), "reporting_test");
  EXPECT_EQ(this_version(), version());
  EXPECT_THAT(this_machine(), HasSubstr(" cores, Linux "));
  EXPECT_EQ(this_machine().find('\n'), std::string::npos);
}

TEST(MachineTest, TellsBuildsApart) {
  EXPECT_EQ(this_build().find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_FALSE(this_build().empty());
}

}  // namespace
}  // namespace loci::reporting
