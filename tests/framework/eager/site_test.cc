#include "framework/eager/site.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace loci::eager {
namespace {

using ::testing::HasSubstr;

TEST(SiteTest, NamesAnExportedFunction) {
  EXPECT_THAT(describe_site(reinterpret_cast<const void*>(&std::abort)), HasSubstr("abort+0x0"));
}

TEST(SiteTest, NamesTheFileOtherwise) {
  EXPECT_THAT(describe_site(reinterpret_cast<const void*>(&describe_site)), HasSubstr("+0x"));
  EXPECT_EQ(describe_site(nullptr), "an unknown place");
}

}  // namespace
}  // namespace loci::eager
