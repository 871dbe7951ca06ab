#include "tools/loci/shown.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace loci::runner {
namespace {

TEST(ShownTest, IsTheArgumentInQuotes) {
  EXPECT_EQ(shown(""), "''");
  EXPECT_EQ(shown("x=1"), "'x=1'");
  EXPECT_EQ(shown(std::string(80, 'x')), fmt::format("'{:x>80}'", ""));
}

TEST(ShownTest, OfALongOneIsTheBeginning) {
  EXPECT_EQ(shown(std::string(100000, 'x')), fmt::format("'{:x>80}'... (100000 bytes)", ""));
}

TEST(ShownTest, DoesNotCutACharacterApart) {
  EXPECT_EQ(shown(std::string(79, 'x') + "\u00e9"), fmt::format("'{:x>79}'... (81 bytes)", ""));
  EXPECT_EQ(shown(std::string(100, '\x80')), "''... (100 bytes)");
}

TEST(ShownTest, ANameHasNoQuotes) {
  EXPECT_EQ(shown_name("x"), "x");
  EXPECT_EQ(shown_name(std::string(100, 'x')), fmt::format("{:x>80}... (100 bytes)", ""));
}

TEST(ShownTest, TextOfAFileStaysOnItsLine) {
  EXPECT_EQ(shown_text("conv.weight"), "'conv.weight'");
  EXPECT_EQ(shown_text("a\nb\x1b[2J"), R"('a\x0ab\x1b[2J')");
  EXPECT_EQ(shown_text(R"(it's a \)"), R"('it\'s a \\')");
  EXPECT_EQ(shown_text("\xc3 \u202e \u00e9"), "'\\xc3 \\u202e \u00e9'");
  EXPECT_EQ(shown_text(std::string(80, 'x')), fmt::format("'{:x>80}'", ""));
  EXPECT_EQ(shown_text(std::string(1000, 'x')), fmt::format("'{:x>80}'... (1000 bytes)", ""));
}

}  // namespace
}  // namespace loci::runner
