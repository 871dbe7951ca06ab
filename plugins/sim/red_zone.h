// Bytes around an allocation that nothing may write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace loci::sim {

inline constexpr std::byte kRedZone{0xA5};
// Freed memory is filled with this: a NaN in every floating dtype, -1 in the signed ones.
inline constexpr std::byte kPoison{0xFF};

void paint_red_zone(std::byte* zone, std::uint64_t bytes);
// The offset of the first byte that was written since; none if the zone is whole.
std::optional<std::uint64_t> find_damage(const std::byte* zone, std::uint64_t bytes);

}  // namespace loci::sim
