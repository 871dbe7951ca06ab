// A constant matrix in the order in which products read it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <loci/plugin/dtype_visit.hpp>

namespace loci::kernels {

// A matrix [k, n] of float32 or 16 bits as blocks of rows, each as panels of `width` columns that
// lie one after the other: a product goes through each panel from its first element to its last.
// Columns beyond n are zeros. A last panel of few columns is half as wide: of the result's columns
// that are computed and not there, which counts where a matrix has few, there are fewer.
struct PackedMatrix {
  // A panel of one block stays in the first cache beside the rows that it is multiplied with. Of
  // halves it is several panels, as float32, for few rows.
  static constexpr std::int64_t kMostBlock = 256;
  static constexpr std::int64_t kMostHalfBlock = 128;

  PackedMatrix(std::int64_t rows, std::int64_t columns, std::int64_t panel_width,
               loci_dtype element = LOCI_DTYPE_F32)
      : k(rows), n(columns), width(panel_width), dtype(element) {
    const std::int64_t most = is_half() ? kMostHalfBlock : kMostBlock;
    const std::int64_t blocks = std::max<std::int64_t>((k + most - 1) / most, 1);
    block = (k + blocks - 1) / blocks;
  }

  [[nodiscard]] std::int64_t panels() const { return (n + width - 1) / width; }
  // All columns in one panel: rows lie as they are.
  static PackedMatrix of_rows(std::int64_t rows, std::int64_t columns) {
    return {rows, columns, 2 * columns};
  }

  // Columns with those that are zeros.
  [[nodiscard]] std::int64_t padded() const {
    const std::int64_t half = width / 2;
    return (n + half - 1) / half * half;
  }
  [[nodiscard]] std::int64_t width_of(std::int64_t panel) const {
    return std::min(width, padded() - panel * width);
  }
  [[nodiscard]] std::int64_t elements() const { return k * padded(); }
  [[nodiscard]] std::uint64_t bytes() const {
    return static_cast<std::uint64_t>(elements()) * sdk::dtype_bytes(dtype);
  }
  [[nodiscard]] bool is_half() const { return dtype != LOCI_DTYPE_F32; }
  [[nodiscard]] std::int64_t block_rows(std::int64_t k0) const { return std::min(block, k - k0); }
  // Where the panel's rows from k0 on begin, k0 being the first row of a block.
  [[nodiscard]] std::int64_t offset(std::int64_t k0, std::int64_t panel) const {
    return k0 * padded() + panel * block_rows(k0) * width;
  }

  std::int64_t k;
  std::int64_t n;
  std::int64_t width;
  loci_dtype dtype;  // float32, float16 or bfloat16
  std::int64_t block = 0;
};

}  // namespace loci::kernels
