#include "framework/core/quote.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace loci::core {
namespace {

TEST(QuoteTest, KeepsPlainText) {
  EXPECT_EQ(quote("conv.weight"), "'conv.weight'");
  EXPECT_EQ(quote(""), "''");
}

TEST(QuoteTest, EscapesControlCharactersQuotesAndBackslashes) {
  EXPECT_EQ(quote(std::string_view("a\nb\t\x7f\0c", 7)), R"('a\x0ab\x09\x7f\x00c')");
  EXPECT_EQ(quote(R"(it's a \)"), R"('it\'s a \\')");
  EXPECT_EQ(quote("\x1b[2J"), R"('\x1b[2J')");
  EXPECT_EQ(quote("\xc2\x9b"), R"('\u009b')");
  EXPECT_EQ(quote("a\u202eb\u2066c"), R"('a\u202eb\u2066c')");
}

TEST(QuoteTest, KeepsValidUtf8) {
  EXPECT_EQ(quote("\u00e9\u4e2d\U0001F600"), "'\u00e9\u4e2d\U0001F600'");
}

TEST(QuoteTest, EscapesInvalidUtf8) {
  EXPECT_EQ(quote("\xc3"), R"('\xc3')");
  EXPECT_EQ(quote("\x80"), R"('\x80')");
  EXPECT_EQ(quote("\xc0\xaf"), R"('\xc0\xaf')");
  EXPECT_EQ(quote("\xe0\x80\x80"), R"('\xe0\x80\x80')");
  EXPECT_EQ(quote("\xed\xa0\x80"), R"('\xed\xa0\x80')");
  EXPECT_EQ(quote("\xf4\x90\x80\x80"), R"('\xf4\x90\x80\x80')");
  EXPECT_EQ(quote("\xe4\xb8z"), R"('\xe4\xb8z')");
}

TEST(QuoteTest, CutsLongTextAndSaysItsLength) {
  EXPECT_EQ(quote(std::string(80, 'x')), "'" + std::string(80, 'x') + "'");
  EXPECT_EQ(quote(std::string(1000, 'x')), "'" + std::string(80, 'x') + "'... (1000 bytes)");
}

TEST(QuoteTest, DoesNotCutACharacterApart) {
  const std::string start(79, 'x');
  EXPECT_EQ(quote(start + "\u4e2dy"), fmt::format("'{}\u4e2d'... (83 bytes)", start));
}

TEST(OneLineTest, EscapesWhatIsNotShown) {
  EXPECT_EQ(one_line(""), "");
  EXPECT_EQ(one_line("it's a \\, \u00e9\xff"), "it's a \\, \u00e9\\xff");
  EXPECT_EQ(one_line(std::string_view("a\nb\r\t\x1b[2J\x7f\0c", 12)),
            R"(a\x0ab\x0d\x09\x1b[2J\x7f\x00c)");
}

}  // namespace
}  // namespace loci::core
