#include "plugins/sim/red_zone.h"

#include <algorithm>

namespace loci::sim {

void paint_red_zone(std::byte* zone, std::uint64_t bytes) {
  std::fill(zone, zone + bytes, kRedZone);
}

std::optional<std::uint64_t> find_damage(const std::byte* zone, std::uint64_t bytes) {
  const std::byte* end = zone + bytes;
  const std::byte* damaged = std::find_if(zone, end, [](std::byte b) { return b != kRedZone; });
  if (damaged == end) return std::nullopt;
  return static_cast<std::uint64_t>(damaged - zone);
}

}  // namespace loci::sim
