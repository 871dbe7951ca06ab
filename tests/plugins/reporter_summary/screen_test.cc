#include "plugins/reporter_summary/screen.h"

#include <gtest/gtest.h>

namespace loci::summary {
namespace {

TEST(ScreenTest, CutsLinesAtItsWidth) {
  Screen screen(false);
  screen.line(std::string(120, 'x'));
  EXPECT_EQ(screen.text(), std::string(97, 'x').append("...\n"));
}

TEST(ScreenTest, BreaksAParagraphAtSpaces) {
  Screen screen(false);
  screen.paragraph(std::string(60, 'a') + " " + std::string(39, 'b') + " " + std::string(99, 'c'));
  EXPECT_EQ(screen.text(),
            std::string(60, 'a') + " " + std::string(39, 'b') + "\n" + std::string(99, 'c') + "\n");
}

TEST(ScreenTest, HasColoursOnATerminalOnly) {
  EXPECT_EQ(Screen(false).in(Colour::kRed, "late"), "late");
  EXPECT_EQ(Screen(true).in(Colour::kRed, "late"), "\x1b[31mlate\x1b[0m");
  Screen screen(true);
  screen.heading("Copies");
  EXPECT_EQ(screen.text(), "\x1b[1mCopies\x1b[0m\n");
}

}  // namespace
}  // namespace loci::summary
