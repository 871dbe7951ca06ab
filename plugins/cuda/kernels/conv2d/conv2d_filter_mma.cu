// The gradient of a convolution's filter by tensor cores: float16, bfloat16, and float32 as TF32.
//   conv2d_filter_mma_DTYPE, conv2d_filter_mma_few_DTYPE(source, out_grad, out, partial, gather,
//     parts)  as conv2d_filter.cu has them
#include "kernels/conv2d/conv2d_filter_tile.cuh"
#include "kernels/conv2d/conv2d_mma_tile.cuh"

namespace loci::cuda {
namespace {

// A thread's terms are those of one window.
template <int rows, class T>
__device__ void load_terms(MmaShared<T, rows>& shared, const T* source, const T* out_grad,
                           const ConvGather& gather, const FilterTile& tile, const Tap* taps,
                           const Placed& at, bool is_there) {
  constexpr int kLines = kBlockThreads / kTermDepth<T>;
  const int depth = static_cast<int>(threadIdx.x) % kTermDepth<T>;
  const int line = static_cast<int>(threadIdx.x) / kTermDepth<T>;
  const std::int64_t plane = gather.height.places.count * gather.width.places.count;
  const std::int64_t rows_left = is_there ? gather.rows.count - tile.row : 0;
  const std::int64_t columns_left = is_there ? gather.row_weights - tile.column : 0;
  const T* grads = out_grad + at.result + tile.row * plane;
#pragma unroll
  for (int i = 0; i < rows; i += kLines) {
    const int row = i + line;
    shared.terms.of_rows[row][depth] = MmaTerm<T>::of(row < rows_left ? grads[row * plane] : T{});
  }
#pragma unroll
  for (int j = 0; j < kConvColumns; j += kLines) {
    const int column = j + line;
    const T* const found = column < columns_left ? at.window.at(source, taps[column]) : nullptr;
    shared.terms.of_columns[column][depth] = MmaTerm<T>::of(found == nullptr ? T{} : *found);
  }
}

template <int rows, class T>
__device__ void leave_sums(const float (*sums)[kSumColumns], T* out, float* partial,
                           const ConvGather& gather, const ConvParts& parts,
                           const FilterTile& tile) {
  const int in_tile = static_cast<int>(threadIdx.x) % kConvColumns;
  const std::int64_t column = tile.column + in_tile;
  if (column >= gather.row_weights) return;
#pragma unroll 4
  for (int i = 0; i < rows; i += kBlockThreads / kConvColumns) {
    const int in_rows = i + static_cast<int>(threadIdx.x) / kConvColumns;
    const std::int64_t row = tile.row + in_rows;
    if (row >= gather.rows.count) break;
    leave(out, partial, parts, (tile.group * gather.rows.count + row) * gather.row_weights + column,
          tile.part, gather.groups.count * gather.group_weights, sums[in_rows][in_tile]);
  }
}

template <int rows, class T>
__device__ void sum_tile(const T* source, const T* out_grad, T* out, float* partial,
                         const ConvGather& gather, const ConvParts& parts, const FilterTile& tile) {
  constexpr int kDepths = kTermDepth<T>;
  __shared__ MmaShared<T, rows> shared;
  __shared__ Tap taps[kConvColumns];
  const int thread = static_cast<int>(threadIdx.x);
  const int depth = thread % kDepths;
  const ImagePhase phase = all_places(gather);
  const WindowRange range = part_of(parts, tile.part);
  __syncthreads();  // the taps and sums of the tile before were read
  if (thread < kConvColumns) taps[thread] = tap_of_column(gather, phase, tile.column + thread);
  Walk walk = walk_windows(gather, range.begin + depth, kDepths);
  WarpSums<rows> sums;
#pragma unroll 1
  for (std::int64_t k = range.begin; k < range.end; k += kDepths) {
    __syncthreads();  // the terms before were read, and the taps are there
    load_terms(shared, source, out_grad, gather, tile, taps,
               placed(gather, phase, tile.group, walk), k + depth < range.end);
    walk.advance();
    __syncthreads();
    sums.template add<mma_term_t<T>>(shared.terms.of_rows, shared.terms.of_columns);
  }
  __syncthreads();  // the terms were read
  sums.leave(shared.sums);
  __syncthreads();
  leave_sums<rows>(shared.sums, out, partial, gather, parts, tile);
}

template <int rows, class T>
__device__ void sum_filter(const T* source, const T* out_grad, T* out, float* partial,
                           const ConvGather& gather, const ConvParts& parts) {
  const std::int64_t tiles = filter_tiles(gather, parts);
  for (std::int64_t i = blockIdx.x; i < tiles; i += gridDim.x) {
    sum_tile<rows>(source, out_grad, out, partial, gather, parts, filter_tile<rows>(gather, i));
  }
}

}  // namespace

#define LOCI_CONV_FILTER_MMA_OF(name, T, rows)                                                   \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                                    \
      name(const T* source, const T* out_grad, T* out, float* partial,                           \
           const __grid_constant__ ConvGather gather, const __grid_constant__ ConvParts parts) { \
    sum_filter<rows>(source, out_grad, out, partial, gather, parts);                             \
  }
#define LOCI_CONV_FILTER_MMA(dtype, T)                                 \
  LOCI_CONV_FILTER_MMA_OF(conv2d_filter_mma_##dtype, T, kConvManyRows) \
  LOCI_CONV_FILTER_MMA_OF(conv2d_filter_mma_few_##dtype, T, kConvFewRows)

LOCI_CONV_FILTER_MMA(f32, float)
LOCI_CONV_FILTER_MMA(f16, __half)
LOCI_CONV_FILTER_MMA(bf16, __nv_bfloat16)

}  // namespace loci::cuda
