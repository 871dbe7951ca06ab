// Names from files and applications, as a terminal may show them.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace loci::sdk {

// The character of UTF-8 that a text begins with. No bytes: the text is empty or not UTF-8 there.
struct FirstCharacter {
  char32_t code = 0;
  std::size_t bytes = 0;
};

inline FirstCharacter first_character(std::string_view text) noexcept {
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};  // others have a shorter form
  if (text.empty()) return {};
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xC2 || lead > 0xF4) return {};
  const std::size_t bytes = lead >= 0xF0 ? 4 : (lead >= 0xE0 ? 3 : 2);
  if (text.size() < bytes) return {};
  char32_t code = lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0U) != 0x80U) return {};
    code = (code << 6U) | (next & 0x3FU);
  }
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kSmallest[bytes] || code > 0x10FFFF || is_surrogate) return {};
  return {code, bytes};
}

inline bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t bytes = first_character(text).bytes;
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

// Returns true if a terminal acts on the character, or shows others in another order for it,
// instead of showing it: controls of both ranges, separators of lines, and marks of direction.
constexpr bool is_unseen_control(char32_t code) noexcept {
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0x061C || code == 0x200E ||
         code == 0x200F || (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

// Appends the first character of a text that is not empty, and returns how many bytes it took:
// \x1b for a control or for a byte that is not UTF-8, \u202e for one beyond ASCII, else as it is.
inline std::size_t append_visible(std::string& out, std::string_view text) {
  const FirstCharacter first = first_character(text);
  if (first.bytes > 0 && !is_unseen_control(first.code)) {
    out += text.substr(0, first.bytes);
    return first.bytes;
  }
  const bool is_wide = first.bytes > 1;
  const auto code = is_wide ? static_cast<unsigned>(first.code)
                            : static_cast<unsigned>(static_cast<unsigned char>(text[0]));
  char escape[8];
  std::snprintf(escape, sizeof(escape), is_wide ? "\\u%04x" : "\\x%02x", code & 0xFFFFU);
  out += escape;
  return is_wide ? first.bytes : 1;
}

// Lines of text: '\n' and '\t' stay, all else is as append_visible() has it, but that valid JSON
// stays the same JSON.
inline std::string terminal_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    std::size_t bytes = 1;
    if (text[0] == '\n' || text[0] == '\t') {
      out += text[0];
    } else if (text[0] == '\x7f') {
      out += "\\u007f";  // the one control of ASCII that a JSON string may have as it is
    } else {
      bytes = append_visible(out, text);
    }
    text.remove_prefix(bytes);
  }
  return out;
}

}  // namespace loci::sdk
