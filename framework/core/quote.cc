#include "framework/core/quote.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace loci::core {
namespace {

constexpr std::size_t kLongest = 80;

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

std::size_t length_by_lead(unsigned char lead) {
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  return lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
}

// Overlong forms, surrogates and what lies beyond U+10FFFF show in the second byte.
bool is_legal_second(unsigned char lead, unsigned char second) {
  switch (lead) {
    case 0xE0: return second >= 0xA0;
    case 0xED: return second <= 0x9F;
    case 0xF0: return second >= 0x90;
    case 0xF4: return second <= 0x8F;
    default: return true;
  }
}

// Bytes of the printable non-ASCII character at the front; 0 if there is none.
std::size_t wide_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = length_by_lead(lead);
  if (length == 0 || text.size() < length) return 0;
  if (!std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(length),
                   is_continuation)) {
    return 0;
  }
  const auto second = static_cast<unsigned char>(text[1]);
  const bool is_c1_control = lead == 0xC2 && second < 0xA0;
  return is_c1_control || !is_legal_second(lead, second) ? 0 : length;
}

// Appends the character at the front and returns its length.
std::size_t append_character(std::string& out, std::string_view text) {
  const char c = text.front();
  if (const std::size_t length = wide_character(text); length > 0) {
    out += text.substr(0, length);
    return length;
  }
  if (c == '\\' || c == '\'') {
    out += {'\\', c};
  } else if (c >= ' ' && c <= '~') {
    out += c;
  } else {
    fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(c));
  }
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

}  // namespace loci::core
