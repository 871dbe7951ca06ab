// What matmul and mul multiply: operands as matrices with strides.
#pragma once

#include <array>
#include <cstdint>
#include <loci/plugin/views.hpp>
#include <vector>

#include "plugins/kernels/gemm.h"

namespace loci::kernels {

// Strides are in elements. The result is dense: [batch, m, n].
struct MatmulShape {
  GemmShape sizes;
  std::int64_t x_row = 0;
  std::int64_t x_column = 0;
  std::int64_t y_row = 0;
  std::int64_t y_column = 0;
  // Where the operands of each product begin; `batch` of them.
  std::vector<std::array<std::int64_t, 2>> offsets;
};

// Leading dimensions broadcast; those of x are taken as rows where y has none. A vector is a row
// (x) or a column (y).
MatmulShape matmul_shape(sdk::Dims x, sdk::Dims y, bool transpose_x, bool transpose_y);
MatmulShape mul_shape(sdk::Dims x, sdk::Dims y, std::int64_t x_rows, std::int64_t y_rows);

}  // namespace loci::kernels
