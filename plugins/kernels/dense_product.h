// The operands of matmul and mul as their kernels read them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <loci/plugin/kernel.hpp>
#include <loci/plugin/matmul.hpp>
#include <vector>

#include "plugins/kernels/isa.h"

namespace loci::kernels {

// One product of matrices.
template <class T>
struct Dense {
  LOCI_INLINE T a(std::int64_t m, std::int64_t k) const { return x[m * x_row + k * x_column]; }
  LOCI_INLINE T b(std::int64_t k, std::int64_t n) const { return y[k * y_row + n * y_column]; }
  LOCI_INLINE void store(std::int64_t m, std::int64_t n, T value) const {
    out[m * columns + n] = value;
  }
  const T* x;
  const T* y;
  T* out;
  std::int64_t x_row;
  std::int64_t x_column;
  std::int64_t y_row;
  std::int64_t y_column;
  std::int64_t columns;
};

// With a column stride of 1 known to the compiler, which then reads vectors.
template <class T>
struct DenseRows : Dense<T> {
  LOCI_INLINE T b(std::int64_t k, std::int64_t n) const { return this->y[k * this->y_row + n]; }
};

// A shape, and where the operands of each product begin, so that a launch does not divide.
struct Products : sdk::MatmulShape {
  explicit Products(const sdk::MatmulShape& shape) : MatmulShape(shape) {
    sdk::AxisWalkOf<2> walk(batch, 0);
    for (std::int64_t i = 0; i < sizes.batch; ++i, walk.next()) {
      offsets.push_back({walk.offset(0), walk.offset(1)});
    }
  }

  // Returns true if packing saves more than it costs.
  [[nodiscard]] bool is_large() const {
    const double per_product =
        sizes.multiplications() / static_cast<double>(std::max<std::int64_t>(sizes.batch, 1));
    return sizes.m >= 4 && sizes.n >= 8 && per_product >= 256;
  }
  // Returns true if the elements of rows of x and of columns of y each lie side by side.
  [[nodiscard]] bool is_of_runs() const { return x_column == 1 && y_row == 1; }

  std::vector<std::array<std::int64_t, 2>> offsets;
};

template <class T>
LOCI_INLINE inline Dense<T> product_of(const sdk::Launch& launch, const Products& shape,
                                       std::int64_t batch) {
  const auto& offsets = shape.offsets[static_cast<std::size_t>(batch)];
  return {launch.input<T>(0) + offsets[0],
          launch.input<T>(1) + offsets[1],
          launch.output<T>(0) + batch * shape.sizes.m * shape.sizes.n,
          shape.x_row,
          shape.x_column,
          shape.y_row,
          shape.y_column,
          shape.sizes.n};
}

}  // namespace loci::kernels
