#include <gtest/gtest.h>

#include <loci/version.hpp>
#include <regex>
#include <string>

namespace loci {
namespace {

TEST(VersionTest, LibraryIsThatOfTheHeaders) { EXPECT_EQ(version(), kVersion); }

TEST(VersionTest, IsSemantic) {
  EXPECT_TRUE(std::regex_match(std::string(version()), std::regex(R"(\d+\.\d+\.\d+)")));
}

}  // namespace
}  // namespace loci
