// The random bits of uniform_random and gaussian_random: the same on every device.
//
// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011), keyed with
// the seed. A block of four words belongs to a counter:
//   word 0  block, bits 0..31          word 2  run, bits 0..31
//   word 1  offset, bits 0..31         word 3  block, bits 32..47 | run, bits 32..47 << 16
// The seed and `run` are the op's state, and `offset` is its attribute; a state of three elements
// has what is added to the offset. Elements take words in order: one each for float32, float16 and
// bfloat16, so that a block makes four of them; two each for float64, low word first.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace loci::sdk {

using PhiloxWords = std::array<std::uint32_t, 4>;

constexpr PhiloxWords random_counter(std::uint64_t block, std::uint64_t run, std::uint64_t offset) {
  return {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(offset),
          static_cast<std::uint32_t>(run),
          (static_cast<std::uint32_t>(block >> 32) & 0xFFFFU) |
              (static_cast<std::uint32_t>(run >> 32) << 16)};
}

constexpr PhiloxWords philox4x32_10(PhiloxWords counter, std::uint64_t key) {
  auto low_key = static_cast<std::uint32_t>(key);
  auto high_key = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {
        static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ low_key, static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ high_key, static_cast<std::uint32_t>(a)};
    low_key += 0x9E3779B9;
    high_key += 0xBB67AE85;
  }
  return counter;
}

// In [0, 1): 24 bits, exact in float32; 53 bits, exact in float64.
constexpr float uniform_float(std::uint32_t word) {
  return static_cast<float>(word >> 8) * 0x1p-24F;
}
constexpr double uniform_double(std::uint32_t low, std::uint32_t high) {
  return static_cast<double>(((std::uint64_t{high} << 32) | low) >> 11) * 0x1p-53;
}

// A normal pair comes from two uniforms by Box-Muller in double: r = sqrt(-2 ln u), angle = 2 pi v,
// (r cos(angle), r sin(angle)). For float32 and shorter u = (word + 1) / 2^32 and v = next word /
// 2^32; for float64 u = uniform_double(words 0, 1) + 2^-53 and v = uniform_double(words 2, 3), so
// that a block makes one pair.
constexpr double positive_uniform(std::uint32_t word) {
  return (static_cast<double>(word) + 1.0) * 0x1p-32;
}
constexpr double angle_uniform(std::uint32_t word) { return static_cast<double>(word) * 0x1p-32; }

}  // namespace loci::sdk
