#include "tools/loci/shown.h"

#include <fmt/format.h>


namespace loci::runner {
namespace {

constexpr std::size_t kLongest = 80;

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

std::string shown(const std::string& argument) {
  if (argument.size() <= kLongest) return fmt::format("'{}'", argument);
  std::size_t end = kLongest;
  while (end > 0 && continues_character(argument[end])) --end;
  return fmt::format("'{}'... ({} bytes)", argument.substr(0, end), argument.size());
}

}  // namespace loci::runner
