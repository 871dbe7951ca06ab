// Random words in bulk.
#pragma once

#include <cstdint>
#include <loci/plugin/philox.hpp>

namespace loci::kernels {

// What a random op's words depend on besides their position.
struct PhiloxStream {
  std::uint64_t seed;
  std::uint64_t run;
  std::uint64_t offset;
};

// Writes the words of blocks [first, first + count), four for each block; loci/plugin/philox.hpp
// says which they are.
void philox_words(const PhiloxStream& stream, std::int64_t first, std::int64_t count,
                  std::uint32_t* words);

}  // namespace loci::kernels
