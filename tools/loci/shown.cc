#include "tools/loci/shown.h"

#include <fmt/format.h>

#include <algorithm>
#include <loci/plugin/terminal_text.hpp>

namespace loci::runner {
namespace {

constexpr std::size_t kLongest = 80;

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

std::string shown_between(const char* quote, const std::string& text) {
  if (text.size() <= kLongest) return fmt::format("{}{}{}", quote, text, quote);
  std::size_t end = kLongest;
  while (end > 0 && continues_character(text[end])) --end;
  return fmt::format("{}{}{}... ({} bytes)", quote, text.substr(0, end), quote, text.size());
}

// Appends the character at the front and returns its length.
std::size_t append_character(std::string& out, std::string_view text) {
  const char c = text.front();
  if (c != '\\' && c != '\'') return sdk::append_visible(out, text);
  out += {'\\', c};
  return 1;
}

}  // namespace

std::string shown(const std::string& argument) { return shown_between("'", argument); }

std::string shown_name(const std::string& name) { return shown_between("", name); }

std::string shown_text(std::string_view text) {
  std::string out = "'";
  std::size_t end = 0;
  while (end < std::min(text.size(), kLongest)) end += append_character(out, text.substr(end));
  out += '\'';
  if (end < text.size()) out += fmt::format("... ({} bytes)", text.size());
  return out;
}

}  // namespace loci::runner
