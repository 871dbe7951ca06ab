// Extents of a grid or a block, and places in them.
#pragma once

#include <cstdint>

namespace loci::cuda_double {

struct Dim3 {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;

  [[nodiscard]] std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  // The place with this index, x fastest.
  [[nodiscard]] Dim3 place(std::uint64_t index) const {
    return {static_cast<std::uint32_t>(index % x), static_cast<std::uint32_t>(index / x % y),
            static_cast<std::uint32_t>(index / x / y)};
  }
};

}  // namespace loci::cuda_double
