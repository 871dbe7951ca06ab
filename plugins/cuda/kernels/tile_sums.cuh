// Tiles of matrix products, which a block's threads sum out of shared memory.
#pragma once

#include <type_traits>

#include "kernels/block_threads.h"

namespace loci::cuda {

// A block's threads as a square, and how many terms of the sums it has at once.
inline constexpr int kSide = 16;
inline constexpr int kDepth = 16;
static_assert(kSide * kSide == kBlockThreads);

template <class C>
__device__ C plus_product(C sum, C x, C y) {
  if constexpr (std::is_floating_point_v<C>) {
    return fma(x, y, sum);
  } else {
    return sum + x * y;
  }
}

// Terms of the sums for as many rows of the left operand, or columns of the right one. One more
// element in each line has the threads that store a line of memory meet different banks.
template <class C, int lines>
using Terms = C[kDepth][lines + 1];

// The elements of a tile that a thread sums: as far apart as the square is wide, so that
// neighbours store side by side.
template <class C, int rows, int columns>
struct TileSums {
  static constexpr int kRows = rows / kSide;
  static constexpr int kColumns = columns / kSide;

  __device__ void add(const Terms<C, rows>& x, const Terms<C, columns>& y, int row, int column) {
#pragma unroll
    for (int depth = 0; depth < kDepth; ++depth) {
      C left[kRows];
      C right[kColumns];
#pragma unroll
      for (int i = 0; i < kRows; ++i) left[i] = x[depth][row + i * kSide];
#pragma unroll
      for (int j = 0; j < kColumns; ++j) right[j] = y[depth][column + j * kSide];
#pragma unroll
      for (int i = 0; i < kRows; ++i) {
#pragma unroll
        for (int j = 0; j < kColumns; ++j) {
          of[i][j] = plus_product(of[i][j], left[i], right[j]);
        }
      }
    }
  }

  C of[kRows][kColumns] = {};
};

}  // namespace loci::cuda
