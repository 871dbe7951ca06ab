#include "framework/core/cut.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace loci::core {
namespace {

constexpr std::string_view kBefore = "... (";
constexpr std::string_view kAfter = " bytes left out)";

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Takes the note of an earlier cut off the end, and gives the number that it says; 0 without one.
std::size_t take_note(std::string_view* text) {
  if (text->size() < kAfter.size() || text->substr(text->size() - kAfter.size()) != kAfter)
    return 0;
  const std::size_t start = text->rfind(kBefore);
  if (start == std::string_view::npos) return 0;
  const char* first = text->data() + start + kBefore.size();
  const char* last = text->data() + text->size() - kAfter.size();
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(first, last, count);
  if (error != std::errc() || end != last) return 0;
  text->remove_suffix(text->size() - start);
  return count;
}

}  // namespace

std::string cut(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  const std::size_t earlier = take_note(&text);
  std::size_t end = std::min(text.size(), most);
  while (end > 0 && end < text.size() && continues_character(text[end])) --end;
  return fmt::format("{}{}{}{}", text.substr(0, end), kBefore, text.size() - end + earlier, kAfter);
}

}  // namespace loci::core
