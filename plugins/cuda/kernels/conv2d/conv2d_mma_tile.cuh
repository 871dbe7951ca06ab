// Tiles of kConvColumns columns that a block sums by tensor cores.
#pragma once

#include "kernels/conv2d/conv2d_gather.h"
#include "kernels/device/mma.cuh"
#include "kernels/launch/block_threads.h"

namespace loci::cuda {

// A block has so many words of each line at once.
inline constexpr int kLineWords = 16;
static_assert(kLineWords % kMmaWords == 0);
// A row of sums, four words more than there are columns: then few threads meet one bank.
inline constexpr int kSumColumns = kConvColumns + 4;

// A block has this in shared memory: terms, and then their sums.
template <class T, int rows>
union MmaShared {
  struct {
    MmaLines<mma_term_t<T>, rows, kLineWords> of_rows;
    MmaLines<mma_term_t<T>, kConvColumns, kLineWords> of_columns;
  } terms;
  float sums[rows][kSumColumns];
};

template <class T>
inline constexpr int kTermDepth = MmaLines<mma_term_t<T>, 1, kLineWords>::kDepth;

// The part of a tile that a warp sums.
template <int rows>
struct WarpSums {
  static constexpr int kWarps = kBlockThreads / 32;
  static constexpr int kDown = rows / 32 > 1 ? rows / 32 : 1;  // warps, and the rest side by side
  static constexpr int kRows = rows / kDown / 16;
  static constexpr int kColumns = kConvColumns / (kWarps / kDown) / 8;
  static_assert(kRows > 0 && kColumns > 0);

  static __device__ int warp() { return static_cast<int>(threadIdx.x) / 32; }
  static __device__ int row(int i) { return (warp() % kDown * kRows + i) * 16; }
  static __device__ int column(int j) { return (warp() / kDown * kColumns + j) * 8; }

  template <class Term, class Rows, class Columns>
  __device__ void add(const Rows& row_terms, const Columns& column_terms) {
#pragma unroll
    for (int word = 0; word < kLineWords; word += kMmaWords) {
      MmaColumns columns[kColumns];
#pragma unroll
      for (int j = 0; j < kColumns; ++j) columns[j] = mma_columns(column_terms, column(j), word);
#pragma unroll
      for (int i = 0; i < kRows; ++i) {
        const MmaRows part = mma_rows(row_terms, row(i), word);
#pragma unroll
        for (int j = 0; j < kColumns; ++j) add_products(of[i][j], part, columns[j], Term{});
      }
    }
  }

  __device__ void leave(float (*sums)[kSumColumns]) const {
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
#pragma unroll
      for (int j = 0; j < kColumns; ++j) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          sums[row(i) + MmaSums::row(k)][column(j) + MmaSums::column(k)] = of[i][j].of[k];
        }
      }
    }
  }

  MmaSums of[kRows][kColumns];
};

}  // namespace loci::cuda
