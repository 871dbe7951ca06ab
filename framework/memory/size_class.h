// Sizes of small blocks: multiples of 64 bytes up to 512, then four to each power of two, so that
// rounding up wastes a fifth at most.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace loci::memory {

inline constexpr std::uint64_t kUnit = 64;
inline constexpr std::uint64_t kMaxSmall = 32 * 1024;
inline constexpr std::size_t kSizeClasses = 32;

// Returns the smallest class that holds `bytes`, in [1, kMaxSmall].
constexpr std::size_t size_class_of(std::uint64_t bytes) {
  if (bytes <= 8 * kUnit) return static_cast<std::size_t>((bytes - 1) / kUnit);
  const auto power = static_cast<std::size_t>(std::bit_width(bytes - 1)) - 1;
  return 8 + (power - 9) * 4 + static_cast<std::size_t>((bytes - 1) >> (power - 2)) - 4;
}

constexpr std::uint64_t size_of_class(std::size_t size_class) {
  if (size_class < 8) return (size_class + 1) * kUnit;
  const std::size_t step = size_class - 8;
  return std::uint64_t{5 + step % 4} << (7 + step / 4);
}

static_assert(size_of_class(kSizeClasses - 1) == kMaxSmall);
static_assert(size_class_of(kMaxSmall) == kSizeClasses - 1);

}  // namespace loci::memory
