// Random words, as loci/plugin/philox.hpp says which they are.
#pragma once

#include <cstdint>

namespace loci::cuda {

// A random op's words depend on this besides their position.
struct PhiloxStream {
  std::uint64_t seed;
  std::uint64_t run;
  std::uint64_t offset;
};

// Reads the stream from the op's state: of three elements, the last one is added to its offset.
__device__ inline PhiloxStream philox_stream(const std::uint64_t* state, bool is_counted,
                                             std::uint64_t offset) {
  return {state[0], state[1], offset + (is_counted ? state[2] : 0)};
}

// One instruction. A product of what was widened is one of 64 bits to the compiler, and takes more.
__device__ inline std::uint64_t whole_product(std::uint32_t x, std::uint32_t y) {
  std::uint64_t product;
  asm("mul.wide.u32 %0, %1, %2;" : "=l"(product) : "r"(x), "r"(y));
  return product;
}

struct PhiloxBlock {
  std::uint32_t words[4];
};

__device__ inline PhiloxBlock philox_block(const PhiloxStream& stream, std::uint64_t block) {
  std::uint32_t c0 = static_cast<std::uint32_t>(block);
  std::uint32_t c1 = static_cast<std::uint32_t>(stream.offset);
  std::uint32_t c2 = static_cast<std::uint32_t>(stream.run);
  std::uint32_t c3 = (static_cast<std::uint32_t>(block >> 32) & 0xFFFFU) |
                     (static_cast<std::uint32_t>(stream.run >> 32) << 16);
  auto low_key = static_cast<std::uint32_t>(stream.seed);
  auto high_key = static_cast<std::uint32_t>(stream.seed >> 32);
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = whole_product(0xD2511F53, c0);
    const std::uint64_t b = whole_product(0xCD9E8D57, c2);
    c0 = static_cast<std::uint32_t>(b >> 32) ^ c1 ^ low_key;
    c1 = static_cast<std::uint32_t>(b);
    c2 = static_cast<std::uint32_t>(a >> 32) ^ c3 ^ high_key;
    c3 = static_cast<std::uint32_t>(a);
    low_key += 0x9E3779B9;
    high_key += 0xBB67AE85;
  }
  return {{c0, c1, c2, c3}};
}

// In [0, 1): 24 bits, and 53.
__device__ inline float uniform_float(std::uint32_t word) {
  return static_cast<float>(word >> 8) * 0x1p-24F;
}
__device__ inline double uniform_double(std::uint32_t low, std::uint32_t high) {
  return static_cast<double>(((std::uint64_t{high} << 32) | low) >> 11) * 0x1p-53;
}

}  // namespace loci::cuda
