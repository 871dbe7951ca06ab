// Choices that a seed makes.
#pragma once

#include <cstdint>

#include "tools/cuda_double/ptx/run/block.h"

namespace loci::cuda_double {

// SplitMix64, by Steele, Lea and Flood.
[[nodiscard]] inline std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9U;
  value = (value ^ value >> 27) * 0x94d049bb133111ebU;
  return value ^ value >> 31;
}

// Below `count`; always 0 without a seed.
[[nodiscard]] inline std::uint32_t draw(Block& block, std::uint32_t count) {
  if (block.random == 0) return 0;
  block.random = mixed(block.random) | 1;
  return static_cast<std::uint32_t>((block.random >> 32) % count);
}

}  // namespace loci::cuda_double
