// A constant matrix in the order in which products read it.
#pragma once

#include <algorithm>
#include <cstdint>

namespace loci::kernels {

// float32[k, n] as blocks of up to kBlock rows, each as panels of `width` columns that lie one
// after the other: a product goes through each panel from its first element to its last. Columns
// beyond n are zeros.
struct PackedMatrix {
  // A panel of one block stays in the first cache beside the rows that it is multiplied with.
  static constexpr std::int64_t kMostBlock = 256;

  PackedMatrix(std::int64_t rows, std::int64_t columns, std::int64_t panel_width)
      : k(rows), n(columns), width(panel_width) {
    const std::int64_t blocks = std::max<std::int64_t>((k + kMostBlock - 1) / kMostBlock, 1);
    block = (k + blocks - 1) / blocks;
  }

  [[nodiscard]] std::int64_t panels() const { return (n + width - 1) / width; }
  [[nodiscard]] std::int64_t elements() const { return k * panels() * width; }
  [[nodiscard]] std::int64_t block_rows(std::int64_t k0) const { return std::min(block, k - k0); }
  // Where the panel's rows from k0 on begin, k0 being the first row of a block.
  [[nodiscard]] std::int64_t offset(std::int64_t k0, std::int64_t panel) const {
    return (k0 * panels() + panel * block_rows(k0)) * width;
  }

  std::int64_t k;
  std::int64_t n;
  std::int64_t width;
  std::int64_t block = 0;
};

}  // namespace loci::kernels
