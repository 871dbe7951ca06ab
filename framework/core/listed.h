// A list of names in a message, of bounded length.
#pragma once

#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace loci::core {

// "a, b, c and 2 more": at most `most` of the texts, with the separator between them. The number
// alone, "2", where `most` is 0.
inline std::string listed(const std::vector<std::string>& texts, std::size_t most,
                          std::string_view separator = ", ") {
  const std::size_t shown = std::min(texts.size(), most);
  const std::size_t left = texts.size() - shown;
  if (shown == 0) return left == 0 ? std::string() : std::to_string(left);
  const auto end = texts.begin() + static_cast<std::ptrdiff_t>(shown);
  std::string text = fmt::format("{}", fmt::join(texts.begin(), end, separator));
  if (left > 0) text += fmt::format(" and {} more", left);
  return text;
}

}  // namespace loci::core
