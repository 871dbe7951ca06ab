// When a loop is worth the thread team: a parallel region costs 2 to 5 us.
#pragma once

#include <algorithm>
#include <cstdint>

namespace loci::kernels {

// Elements that one thread should have at least, for a loop that spends about `picoseconds` on
// each.
constexpr std::int64_t grain_for(std::int64_t picoseconds) {
  constexpr std::int64_t kWorthwhile = 10'000'000;
  return std::max<std::int64_t>(kWorthwhile / std::max<std::int64_t>(picoseconds, 1), 1);
}

// Up to here a loop is run as written: choosing an instruction set would cost more than it saves.
inline constexpr std::int64_t kSmallCount = 8;

}  // namespace loci::kernels
