// Tiles of matrix products, which a block's threads sum out of shared memory.
#pragma once

#include <type_traits>

#include "kernels/device/elements.cuh"
#include "kernels/launch/block_threads.h"

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

// Terms of the sums for as many rows of the left operand, or columns of the right one. 16 bytes
// more in each line have few threads that store a line of memory meet one bank.
template <class C, int lines>
struct alignas(16) Terms {
  __device__ C* operator[](int depth) { return of[depth]; }
  __device__ const C* operator[](int depth) const { return of[depth]; }
  C of[kDepth][lines + 16 / sizeof(C)];
};

// The elements of a tile that a thread sums: rows side by side, which it reads at once, and columns
// as far apart as the square is wide, so that neighbours store side by side.
template <class C, int rows, int columns>
struct TileSums {
  static constexpr int kRows = rows / kSide;
  static constexpr int kColumns = columns / kSide;

  static __device__ int row(int i) { return static_cast<int>(threadIdx.x) / kSide * kRows + i; }
  static __device__ int column(int j) { return static_cast<int>(threadIdx.x) % kSide + j * kSide; }

  __device__ void add(const Terms<C, rows>& x, const Terms<C, columns>& y) {
#pragma unroll
    for (int depth = 0; depth < kDepth; ++depth) {
      constexpr int kMost = 16 / sizeof(C);
      constexpr int kLanes = kRows < kMost ? kRows : kMost;
      C right[kColumns];
#pragma unroll
      for (int j = 0; j < kColumns; ++j) right[j] = y[depth][column(j)];
#pragma unroll
      for (int i = 0; i < kRows; i += kLanes) {
        const auto left = load_lanes<kLanes>(x[depth] + row(i));
#pragma unroll
        for (int lane = 0; lane < kLanes; ++lane) {
#pragma unroll
          for (int j = 0; j < kColumns; ++j) {
            of[i + lane][j] = plus_product(of[i + lane][j], left.lanes[lane], right[j]);
          }
        }
      }
    }
  }

  C of[kRows][kColumns] = {};
};

}  // namespace loci::cuda
