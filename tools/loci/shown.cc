#include "tools/loci/shown.h"

#include <fmt/format.h>

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

}  // namespace

std::string shown(const std::string& argument) { return shown_between("'", argument); }

std::string shown_name(const std::string& name) { return shown_between("", name); }

}  // namespace loci::runner
