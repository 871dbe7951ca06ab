#include "framework/reporting/process_rank.h"

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace loci::reporting {
namespace {

std::optional<std::uint32_t> number_in(const char* variable) {
  const char* set = std::getenv(variable);
  if (set == nullptr) return std::nullopt;
  const std::string_view text(set);
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

ProcessRank environment_rank() {
  const std::optional<std::uint32_t> rank = number_in("RANK");
  const std::optional<std::uint32_t> world_size = number_in("WORLD_SIZE");
  if (!rank || !world_size || *rank >= *world_size) return {};
  return {*rank, *world_size};
}

}  // namespace loci::reporting
