#include "framework/core/suggest.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace loci::core {
namespace {

constexpr std::size_t kMostSuggestions = 3;
constexpr std::size_t kMostListed = 10;

// Levenshtein distance, one row at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j + 1] + 1, row[j] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

std::string suggest(std::string_view name, const std::vector<std::string>& known) {
  const std::size_t limit = std::max<std::size_t>(1, name.size() / 3);
  std::vector<std::pair<std::size_t, std::string>> close;
  for (const std::string& candidate : known) {
    // The lengths alone bound the distance from below.
    const std::size_t longer = std::max(name.size(), candidate.size());
    if (longer - std::min(name.size(), candidate.size()) > limit) continue;
    const std::size_t distance = edit_distance(name, candidate);
    if (distance <= limit) close.emplace_back(distance, candidate);
  }
  std::sort(close.begin(), close.end());
  if (close.size() > kMostSuggestions) close.resize(kMostSuggestions);
  std::vector<std::string> quoted;
  quoted.reserve(std::max(close.size(), known.size()));
  for (const auto& [distance, candidate] : close) quoted.push_back("'" + candidate + "'");
  if (!quoted.empty()) return fmt::format("; did you mean {}?", fmt::join(quoted, " or "));
  if (known.empty() || known.size() > kMostListed) return {};
  for (const std::string& candidate : known) quoted.push_back("'" + candidate + "'");
  return fmt::format("; there are {}", fmt::join(quoted, ", "));
}

}  // namespace loci::core
