// Convolutions of images, and the gradients of their images, by tensor cores: float16, bfloat16,
// and float32 as TF32.
//   conv2d_mma_DTYPE, conv2d_mma_few_DTYPE(source, weights, out, gather, epilogue)  blocks take
//     turns at tiles of the results, whose terms they have in shared memory
#include "kernels/conv2d/conv2d_epilogue.cuh"
#include "kernels/conv2d/conv2d_mma_tile.cuh"
#include "kernels/conv2d/conv2d_tile.cuh"

namespace loci::cuda {
namespace {

// Weights of taps follow one another, unless windows are of one tap, where those of rows may.
template <int rows, class T, class Lines>
__device__ void load_rows(Lines& lines, const T* weights, const ConvGather& gather,
                          std::int64_t rows_left, const Tap* taps, std::int64_t taps_left) {
  constexpr int kDepths = kTermDepth<T>;
  const bool along_rows = gather.row_weights == 1;
#pragma unroll
  for (int i = 0; i < rows * kDepths; i += kBlockThreads) {
    const int item = i + static_cast<int>(threadIdx.x);
    const int depth = along_rows ? item / rows : item % kDepths;
    const int row = along_rows ? item % rows : item / kDepths;
    T term{};
    if (row < rows_left && depth < taps_left) {
      term = weights[row * gather.row_weights + taps[depth].weight];
    }
    lines[row][depth] = MmaTerm<T>::of(term);
  }
}

// A thread's elements are those of one window.
template <class T, class Lines>
__device__ void load_columns(Lines& lines, const T* source, const Window& window, const Tap* taps,
                             std::int64_t taps_left) {
  const int column = static_cast<int>(threadIdx.x) % kConvColumns;
#pragma unroll
  for (int i = 0; i < kTermDepth<T>; i += kBlockThreads / kConvColumns) {
    const int depth = i + static_cast<int>(threadIdx.x) / kConvColumns;
    const T* const found = depth < taps_left ? window.at(source, taps[depth]) : nullptr;
    lines[column][depth] = MmaTerm<T>::of(found == nullptr ? T{} : *found);
  }
}

// A thread's results are those of one column; `position` is that of the first row's, or negative.
template <int rows, class T>
__device__ void store_sums(const float (*sums)[kSumColumns], std::int64_t position, T* out,
                           const ConvGather& gather, const ConvTile& tile,
                           const ConvEpilogue& epilogue) {
  if (position < 0) return;
  const std::int64_t plane = gather.height.places.count * gather.width.places.count;
  const std::int64_t first_row = tile.group * gather.rows.count + tile.row;
  const int column = static_cast<int>(threadIdx.x) % kConvColumns;
#pragma unroll 4
  for (int i = 0; i < rows; i += kBlockThreads / kConvColumns) {
    const int row = i + static_cast<int>(threadIdx.x) / kConvColumns;
    if (tile.row + row >= gather.rows.count) break;
    const std::int64_t at = position + row * plane;
    out[at] =
        Element<T>::narrow(epilogue::applied<T>(epilogue, sums[row][column], first_row + row, at));
  }
}

template <int rows, class T>
__device__ void convolve_tile(const T* source, const T* weights, T* out, const ConvGather& gather,
                              const ConvTile& tile, const ConvEpilogue& epilogue) {
  constexpr int kDepths = kTermDepth<T>;
  __shared__ MmaShared<T, rows> shared;
  __shared__ Tap taps[kDepths];
  const int thread = static_cast<int>(threadIdx.x);
  const Column own = column_at(gather, tile.column + thread % kConvColumns);
  const std::int64_t position = position_of(gather, tile, own);
  const std::int64_t group = own.image * gather.groups.count + tile.group;
  const Window window(gather, tile.phase, group * gather.channels, own.i, own.j, position >= 0);
  const T* tile_weights =
      weights + tile.group * gather.group_weights + tile.row * gather.row_weights;
  const std::int64_t terms = tile.phase.terms(gather);
  Walk walk(thread, kDepths, tile.phase.height.taps, tile.phase.width.taps);
  WarpSums<rows> sums;
#pragma unroll 1
  for (std::int64_t k = 0; k < terms; k += kDepths) {
    if (thread < kDepths) {
      taps[thread] = tap_at(gather, tile.phase, walk.outer(), walk.middle(), walk.inner());
      walk.advance();
    }
    __syncthreads();  // the terms, or sums, before were read, and the taps are there
    load_rows<rows>(shared.terms.of_rows, tile_weights, gather, gather.rows.count - tile.row, taps,
                    terms - k);
    load_columns(shared.terms.of_columns, source, window, taps, terms - k);
    __syncthreads();
    sums.template add<mma_term_t<T>>(shared.terms.of_rows, shared.terms.of_columns);
  }
  __syncthreads();  // the terms were read
  sums.leave(shared.sums);
  __syncthreads();
  store_sums<rows>(shared.sums, position, out, gather, tile, epilogue);
}

template <int rows, class T>
__device__ void convolve(const T* source, const T* weights, T* out, const ConvGather& gather,
                         const ConvEpilogue& epilogue) {
  const std::int64_t tiles = tiles_of(gather);
  for (std::int64_t i = blockIdx.x; i < tiles; i += gridDim.x) {
    convolve_tile<rows>(source, weights, out, gather, conv_tile<rows>(gather, i), epilogue);
  }
}

}  // namespace

#define LOCI_CONV_MMA_OF(name, T, rows)                                                          \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                                    \
      name(const T* source, const T* weights, T* out, const __grid_constant__ ConvGather gather, \
           const __grid_constant__ ConvEpilogue epilogue) {                                      \
    convolve<rows>(source, weights, out, gather, epilogue);                                      \
  }
#define LOCI_CONV_MMA(dtype, T)                          \
  LOCI_CONV_MMA_OF(conv2d_mma_##dtype, T, kConvManyRows) \
  LOCI_CONV_MMA_OF(conv2d_mma_few_##dtype, T, kConvFewRows)

LOCI_CONV_MMA(f32, float)
LOCI_CONV_MMA(f16, __half)
LOCI_CONV_MMA(bf16, __nv_bfloat16)

}  // namespace loci::cuda
