// Matrix products without a library. matmul_DTYPE(x, y, out, products, epilogue) and
// matmul_small_DTYPE: blocks take turns at square tiles of the results, whose operands they have in
// shared memory. Integers wrap, and have no epilogue: they are taken for unsigned, and narrow ones
// are summed as words, whose low bits are the result.
#include <cstdint>
#include <type_traits>

#include "kernels/device/elements.cuh"
#include "kernels/device/instances.cuh"
#include "kernels/device/tile_sums.cuh"
#include "kernels/launch/block_threads.h"
#include "kernels/matmul/matmul_epilogue.cuh"
#include "kernels/matmul/matmul_products.h"

namespace loci::cuda {
namespace {

// The type that sums are computed in.
template <class T>
using sum_t =
    std::conditional_t<std::is_integral_v<T> && (sizeof(T) < 4), std::uint32_t, computed_t<T>>;

// A part of an operand: `lines` rows of x, or columns of y, of `depth` terms each.
template <class T>
struct Lines {
  const T* first;
  std::int64_t lines;
  std::int64_t line_step;
  std::int64_t depth;
  std::int64_t depth_step;
};

// Terms beyond the operand are 0. Neighbouring threads load what lies side by side.
template <int tile, class T, class C>
__device__ void load(Terms<C, tile>& terms, const Lines<T>& from) {
  const bool along_depth = from.depth_step == 1;
#pragma unroll
  for (int i = 0; i < tile * kDepth; i += kBlockThreads) {
    const int item = i + static_cast<int>(threadIdx.x);
    const int depth = along_depth ? item % kDepth : item / tile;
    const int line = along_depth ? item / kDepth : item % tile;
    C term{0};
    if (line < from.lines && depth < from.depth) {
      term = static_cast<C>(
          Element<T>::widen(from.first[line * from.line_step + depth * from.depth_step]));
    }
    terms[depth][line] = term;
  }
}

// Which part of which product a block computes.
struct TileAt {
  std::int64_t product;
  std::int64_t row;
  std::int64_t column;
  std::int64_t x_offset;
  std::int64_t y_offset;
};

__device__ std::int64_t tiles_along(std::int64_t extent, int tile) {
  return (extent + tile - 1) / tile;
}

__device__ TileAt tile_at(const MatmulProducts& products, std::int64_t index, int tile) {
  const std::int64_t columns = tiles_along(products.n, tile);
  const std::int64_t rows = tiles_along(products.m, tile);
  const std::int64_t line = index / columns;
  TileAt at{line / rows, line % rows * tile, index % columns * tile, 0, 0};
  std::int64_t rest = at.product;
#pragma unroll 1  // one or two rounds
  for (int i = 0; i < products.rank; ++i) {
    const MatmulBatchAxis& axis = products.axes[i];
    at.x_offset += rest % axis.extent * axis.x_step;
    at.y_offset += rest % axis.extent * axis.y_step;
    rest /= axis.extent;
  }
  return at;
}

template <class T, class C, int tile>
__device__ void store(const TileSums<C, tile, tile>& sums, T* out, const MatmulProducts& products,
                      const TileAt& at, const MatmulEpilogue& epilogue) {
#pragma unroll
  for (int i = 0; i < sums.kRows; ++i) {
#pragma unroll
    for (int j = 0; j < sums.kColumns; ++j) {
      const std::int64_t m = at.row + sums.row(i);
      const std::int64_t n = at.column + sums.column(j);
      if (m >= products.m || n >= products.n) continue;
      const std::int64_t position = (at.product * products.m + m) * products.n + n;
      if constexpr (std::is_floating_point_v<C>) {
        out[position] = Element<T>::narrow(
            epilogue::applied<T>(epilogue, sums.of[i][j], position, n, products.n));
      } else {
        out[position] = static_cast<T>(sums.of[i][j]);
      }
    }
  }
}

template <int tile, class T>
__device__ void multiply_tile(const T* x, const T* y, T* out, const MatmulProducts& products,
                              const TileAt& at, const MatmulEpilogue& epilogue) {
  using C = sum_t<T>;
  __shared__ Terms<C, tile> x_terms;
  __shared__ Terms<C, tile> y_terms;
  const T* x_first = x + at.x_offset + at.row * products.x_row;
  const T* y_first = y + at.y_offset + at.column * products.y_column;
  TileSums<C, tile, tile> sums;
#pragma unroll 1
  for (std::int64_t k = 0; k < products.k; k += kDepth) {
    __syncthreads();  // the terms before were read
    load<tile>(x_terms, Lines<T>{x_first + k * products.x_column, products.m - at.row,
                                 products.x_row, products.k - k, products.x_column});
    load<tile>(y_terms, Lines<T>{y_first + k * products.y_row, products.n - at.column,
                                 products.y_column, products.k - k, products.y_row});
    __syncthreads();
    sums.add(x_terms, y_terms);
  }
  store(sums, out, products, at, epilogue);
}

template <int tile, class T>
__device__ void multiply(const T* x, const T* y, T* out, const MatmulProducts& products,
                         const MatmulEpilogue& epilogue) {
  const std::int64_t tiles =
      products.batch * tiles_along(products.m, tile) * tiles_along(products.n, tile);
  for (std::int64_t i = blockIdx.x; i < tiles; i += gridDim.x) {
    multiply_tile<tile>(x, y, out, products, tile_at(products, i, tile), epilogue);
  }
}

}  // namespace

#define LOCI_MATMUL(dtype, T, ...)                                                               \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                                    \
      matmul_##dtype(const T* x, const T* y, T* out,                                             \
                     const __grid_constant__ MatmulProducts products, MatmulEpilogue epilogue) { \
    multiply<kLargeTile>(x, y, out, products, epilogue);                                         \
  }                                                                                              \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) matmul_small_##dtype(              \
      const T* x, const T* y, T* out, const __grid_constant__ MatmulProducts products,           \
      MatmulEpilogue epilogue) {                                                                 \
    multiply<kSmallTile>(x, y, out, products, epilogue);                                         \
  }

LOCI_FLOATS(LOCI_MATMUL)
LOCI_UNSIGNED(LOCI_MATMUL)

}  // namespace loci::cuda
