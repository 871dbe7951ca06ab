#include "framework/core/quote.h"

#include <fmt/format.h>

#include <algorithm>
#include <loci/plugin/terminal_text.hpp>

namespace loci::core {
namespace {

constexpr std::size_t kLongest = 80;

// Appends the character at the front and returns its length.
std::size_t append_character(std::string& out, std::string_view text) {
  const char c = text.front();
  if (c != '\\' && c != '\'') return sdk::append_visible(out, text);
  out += {'\\', c};
  return 1;
}

}  // namespace

std::string quote(std::string_view text) {
  std::string out = "'";
  std::size_t position = 0;
  while (position < std::min(text.size(), kLongest)) {
    position += append_character(out, text.substr(position));
  }
  out += '\'';
  if (position < text.size()) out += fmt::format("... ({} bytes)", text.size());
  return out;
}

std::string one_line(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) text.remove_prefix(sdk::append_visible(out, text));
  return out;
}

}  // namespace loci::core
