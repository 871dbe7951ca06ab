#include <gtest/gtest.h>

#include <loci/plugin/terminal_text.hpp>

namespace loci::sdk {
namespace {

using namespace std::string_view_literals;

TEST(TerminalTextTest, KeepsLinesOfText) {
  EXPECT_EQ(terminal_text("a 'b' \\ c\n\td\n"), "a 'b' \\ c\n\td\n");
  EXPECT_EQ(terminal_text("größe 算子 \U0001F600"), "größe 算子 \U0001F600");
  EXPECT_EQ(terminal_text(""), "");
}

TEST(TerminalTextTest, EscapesWhatDrivesATerminal) {
  EXPECT_EQ(terminal_text("\x1b[2J\r\0"sv), R"(\x1b[2J\x0d\x00)");
  EXPECT_EQ(terminal_text("\u0080\u009b2J\u009f\u00a0"), "\\u0080\\u009b2J\\u009f\u00a0");
}

TEST(TerminalTextTest, EscapesWhatTurnsTextRound) {
  EXPECT_EQ(terminal_text("\u202a\u202e\u2066\u2069\u200e\u200f\u061c"),
            R"(\u202a\u202e\u2066\u2069\u200e\u200f\u061c)");
  EXPECT_EQ(terminal_text("\u2028\u2029"), R"(\u2028\u2029)");
  EXPECT_EQ(terminal_text("\u2027\u202f\u2065\u206a"), "\u2027\u202f\u2065\u206a");
}

TEST(TerminalTextTest, EscapesWhatIsNotUtf8) {
  EXPECT_EQ(terminal_text("a\xff\x80z"), R"(a\xff\x80z)");
  EXPECT_EQ(terminal_text("\xc3"), R"(\xc3)");
  EXPECT_EQ(terminal_text("\xc0\xaf\xe0\x80\x80\xf0\x8f\xbf\xbf"),
            R"(\xc0\xaf\xe0\x80\x80\xf0\x8f\xbf\xbf)");
  EXPECT_EQ(terminal_text("\xed\xa0\x80\xf4\x90\x80\x80"), R"(\xed\xa0\x80\xf4\x90\x80\x80)");
  EXPECT_EQ(terminal_text("\xe4\xb8z\xf5"), R"(\xe4\xb8z\xf5)");
}

TEST(TerminalTextTest, JsonStaysTheSameJson) {
  EXPECT_EQ(terminal_text("{\"a\x7f\u0085\u202e\": 1}\n"), "{\"a\\u007f\\u0085\\u202e\": 1}\n");
}

TEST(IsUtf8Test, KnowsLegalForms) {
  EXPECT_TRUE(is_utf8("a\0\x7f"sv));
  EXPECT_TRUE(is_utf8("\u0080\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010FFFF"));
  for (const auto text : {"\x80"sv, "a\xc2"sv, "\xc1\xbf"sv, "\xe0\x9f\xbf"sv, "\xed\xbf\xbf"sv,
                          "\xf0\x80\x80\x80"sv, "\xf4\x90\x80\x80"sv, "\xf8\x88\x80\x80\x80"sv}) {
    EXPECT_FALSE(is_utf8(text));
  }
}

}  // namespace
}  // namespace loci::sdk
