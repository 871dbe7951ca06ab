// Random words in bulk.
#pragma once

#include <cstdint>
#include <loci/plugin/philox.hpp>

namespace loci::kernels {

// The numbers that a random op's words depend on besides their position.
struct PhiloxStream {
  std::uint64_t seed;
  std::uint64_t run;
  std::uint64_t offset;
};

// Reads the op's state, of `extent` elements: of three, the last one is added to its offset.
inline PhiloxStream philox_stream(const std::uint64_t* state, std::int64_t extent,
                                  std::uint64_t offset) {
  return {state[0], state[1], offset + (extent == 3 ? state[2] : 0)};
}

// Writes the words of blocks [first, first + count), four for each block; loci/plugin/philox.hpp
// says which they are.
void philox_words(const PhiloxStream& stream, std::int64_t first, std::int64_t count,
                  std::uint32_t* words);

}  // namespace loci::kernels
