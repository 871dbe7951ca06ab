#include "plugins/reporter_summary/screen.h"

#include <fmt/format.h>

#include "plugins/report_text/printable.h"

namespace loci::summary {

std::string Screen::in(Colour colour, std::string_view text) const {
  if (!coloured_ || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", static_cast<int>(colour), text);
}

void Screen::line(std::string_view text) {
  text_ += report_text::shortened(text, kColumns);
  text_ += '\n';
}

void Screen::heading(std::string_view text) {
  coloured_line(in(Colour::kBold, report_text::shortened(text, kColumns)));
}

void Screen::coloured_line(std::string_view text) {
  text_ += text;
  text_ += '\n';
}

void Screen::lines(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    line(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

void Screen::paragraph(std::string_view text) {
  while (report_text::shown_width(text) > kColumns) {
    const std::size_t space = text.substr(0, kColumns + 1).rfind(' ');
    if (space == std::string_view::npos || space == 0) break;
    line(text.substr(0, space));
    text.remove_prefix(space + 1);
  }
  line(text);
}

}  // namespace loci::summary
