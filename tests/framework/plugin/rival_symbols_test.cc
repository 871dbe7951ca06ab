#include "framework/plugin/rival_symbols.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <loci/abi/plugin.h>

namespace loci::plugin {
namespace {

TEST(RivalSymbols, AreThoseOfAnotherLibrary) {
  const auto rival = find_rival({{"libabsent.so.1", "", {"no_such_function"}},
                                 {"libother_c.so.1", "", {"no_such_function", "strtoull"}}});
  ASSERT_TRUE(rival.has_value());
  EXPECT_EQ(rival->name, "strtoull");
  EXPECT_THAT(rival->library, ::testing::StartsWith("libc.so"));
}

TEST(RivalSymbols, AreNotThoseOfTheLibraryThatIsNeeded) {
  const auto own = find_rival({{"libother_c.so.1", "", {"strtoull"}}});
  ASSERT_TRUE(own.has_value());
  EXPECT_FALSE(find_rival({{own->library, "", {"strtoull"}}}).has_value());
  EXPECT_FALSE(find_rival({{"libother_c.so.1", "the hint", {}}}).has_value());
  EXPECT_FALSE(find_rival({}).has_value());
}

TEST(RivalSymbols, AreNotThoseOfLibrariesThatKeepThemToThemselves) {
  // Mapped by a test of libraries, or not at all: nobody sees its functions in either case.
  EXPECT_FALSE(find_rival({{"libother.so.1", "", {LOCI_PLUGIN_QUERY_SYMBOL}}}).has_value());
}

}  // namespace
}  // namespace loci::plugin
