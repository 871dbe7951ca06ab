#include "plugins/report_text/printable.h"

#include <gtest/gtest.h>

namespace loci::report_text {
namespace {

TEST(PrintableTest, ControlCharactersShowAsTheirEscapes) {
  EXPECT_EQ(printable(std::string_view("a\nb\tc\x1b[31m\x7f")), "a\\nb\\tc\\x1b[31m\\x7f");
  EXPECT_EQ(printable(std::string_view("größe")), "größe");
  EXPECT_EQ(printable(std::string_view("a\u009bb\u202ec\xff")), "a\\u009bb\\u202ec\\xff");
}

TEST(PrintableTest, WidthCountsCharactersNotBytes) {
  EXPECT_EQ(shown_width("mul"), 3U);
  EXPECT_EQ(shown_width("größe"), 5U);
  EXPECT_EQ(shown_width("算子"), 2U);
}

TEST(PrintableTest, ShortensToAWidthAndKeepsCharactersWhole) {
  EXPECT_EQ(shortened("conv2d", 6), "conv2d");
  EXPECT_EQ(shortened("conv2d_grad", 6), "con...");
  EXPECT_EQ(shortened("größengröße", 6), "grö...");
  EXPECT_EQ(shortened("conv2d", 2), "..");
}

}  // namespace
}  // namespace loci::report_text
