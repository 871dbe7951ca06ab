// The reference of random bits: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3", 2011), and which words belong to which element.
#pragma once

#include <array>
#include <cstdint>

namespace loci::conformance {

using PhiloxBlock = std::array<std::uint32_t, 4>;

PhiloxBlock philox4x32_10(PhiloxBlock counter, std::array<std::uint32_t, 2> key);

// The words of one op's elements: `key` is the seed, the counter is [block, offset, run, upper 16
// bits of a 48-bit block and of a 48-bit run].
class RandomWords {
 public:
  RandomWords(std::uint64_t seed, std::uint64_t run, std::uint64_t offset)
      : seed_(seed), run_(run), offset_(offset) {}
  [[nodiscard]] std::uint32_t word(std::uint64_t index) const;

 private:
  std::uint64_t seed_;
  std::uint64_t run_;
  std::uint64_t offset_;
};

}  // namespace loci::conformance
