#include "plugins/report_text/printable.h"

#include <fmt/format.h>

#include <loci/plugin/error.hpp>
#include <loci/plugin/terminal_text.hpp>

namespace loci::report_text {
namespace {

constexpr std::string_view kCut = "...";

bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

// The bytes of the first `count` characters.
std::size_t bytes_of(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (begins_character(text[at]) && count-- == 0) break;
  }
  return at;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    std::size_t bytes = 1;
    if (text[0] == '\n') {
      shown += "\\n";
    } else if (text[0] == '\t') {
      shown += "\\t";
    } else {
      bytes = sdk::append_visible(shown, text);
    }
    text.remove_prefix(bytes);
  }
  return shown;
}

std::string printable(loci_str text) { return printable(sdk::to_view(text)); }

std::size_t shown_width(std::string_view text) {
  std::size_t width = 0;
  for (const char byte : text) width += begins_character(byte) ? 1U : 0U;
  return width;
}

std::string shortened(std::string_view text, std::size_t width) {
  if (shown_width(text) <= width) return std::string(text);
  if (width <= kCut.size()) return std::string(kCut.substr(0, width));
  return fmt::format("{}{}", text.substr(0, bytes_of(text, width - kCut.size())), kCut);
}

}  // namespace loci::report_text
