// The lines of the screen.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace loci::summary {

inline constexpr std::size_t kColumns = 100;

// The colours of a terminal, by the numbers of their escape sequences.
enum class Colour { kPlain = 0, kBold = 1, kRed = 31, kGreen = 32, kYellow = 33 };

class Screen {
 public:
  explicit Screen(bool coloured) : coloured_(coloured) {}

  // The text in that colour; it takes as many columns as without it.
  [[nodiscard]] std::string in(Colour colour, std::string_view text) const;

  // A line, cut off after kColumns; it must not hold colours.
  void line(std::string_view text);
  // A bold line.
  void heading(std::string_view text);
  // A line that holds colours, of at most kColumns without them.
  void coloured_line(std::string_view text);
  // The lines of a text, as line() does.
  void lines(std::string_view text);
  // A text as long as it takes, broken at its spaces.
  void paragraph(std::string_view text);
  void blank() { text_ += '\n'; }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  bool coloured_;
  std::string text_;
};

}  // namespace loci::summary
