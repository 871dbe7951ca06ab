// The product of rows and a packed matrix.
#pragma once

#include <cstdint>
#include <loci/plugin/host.hpp>

#include "plugins/kernels/epilogue.h"
#include "plugins/kernels/packed_matrix.h"

namespace loci::kernels {

// Columns of a panel: two vectors of this processor's.
std::int64_t panel_width();

// Fills `packed`, matrix.bytes(), from y, whose element (k, n) lies at y[k * row + n * column].
void pack(const PackedMatrix& matrix, const void* y, std::int64_t row, std::int64_t column,
          void* packed);

// Rows of x times the matrix; x and the result are of its dtype. Halves are multiplied and added up
// as float32, and rounded once.
struct PackedProduct {
  // Bytes, for multiply_packed().
  [[nodiscard]] std::uint64_t workspace_bytes() const;

  std::int64_t m = 0;
  std::int64_t x_row =
      0;  // elements from one row of x to the next; those of a row lie side by side
  PackedMatrix y;
};

// out[m, n], dense, = x[m, k] times the matrix, and, of float32, what the epilogue does. k is at
// least 1.
void multiply_packed(const sdk::Host& host, const PackedProduct& product, const void* x,
                     const void* packed, void* out, void* workspace,
                     const RowEpilogue& epilogue = {});

// Multiplies float32, as a part of a kernel's work, on the calling thread.
void multiply_packed_here(const PackedProduct& product, const float* x, const float* packed,
                          float* out);

}  // namespace loci::kernels
