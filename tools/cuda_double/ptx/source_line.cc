#include <fmt/format.h>

#include <algorithm>

#include "tools/cuda_double/ptx/code.h"

namespace loci::cuda_double {
namespace {

constexpr std::size_t kLongestText = 200;

std::string file_name(const FunctionCode& function, std::uint32_t number) {
  const auto found = function.files->find(number);
  if (found == function.files->end()) return fmt::format("file {}", number);
  return found->second.substr(found->second.rfind('/') + 1);
}

// The location whose code was inlined at that one's, the youngest before it.
std::uint32_t caller_of(const FunctionCode& function, std::uint32_t number) {
  const LocationSyntax& inner = function.locations[number];
  for (std::uint32_t i = number; i-- > 0;) {
    const LocationSyntax& outer = function.locations[i];
    if (outer.file == inner.at_file && outer.line == inner.at_line &&
        outer.column == inner.at_column) {
      return i;
    }
  }
  return number;
}

}  // namespace

SourceLine source_line(const FunctionCode& function, std::uint32_t place) {
  const std::uint32_t location = function.places[place].location;
  if (location == 0 || function.files == nullptr) return {};
  std::uint32_t number = location - 1;
  const LocationSyntax& inner = function.locations[number];
  std::uint32_t file = inner.file;
  std::uint32_t line = inner.line;
  while (function.locations[number].is_inlined) {
    file = function.locations[number].at_file;
    line = function.locations[number].at_line;
    const std::uint32_t outer = caller_of(function, number);
    if (outer == number) break;
    number = outer;
  }
  SourceLine result{fmt::format("{}:{}", file_name(function, file), line), ""};
  if (inner.is_inlined) {
    result.inlined = fmt::format("{}:{}", file_name(function, inner.file), inner.line);
  }
  return result;
}

std::string one_line(std::string_view text) {
  std::string result;
  for (const char c : text.substr(0, kLongestText)) {
    const bool is_blank = static_cast<unsigned char>(c) <= ' ';
    if (!is_blank) {
      result += c;
    } else if (!result.empty() && result.back() != ' ') {
      result += ' ';
    }
  }
  return result;
}

}  // namespace loci::cuda_double
