// The gradient of a convolution's filter: sums over all windows, in parts. Workspace has a part's
// sums behind those of the part before; a single part leaves results.
//   conv2d_filter_DTYPE, conv2d_filter_few_DTYPE(source, out_grad, out, partial, gather, parts)
//     blocks take turns at tiles of weights, whose terms they have in shared memory
//   conv2d_filter_direct_DTYPE(the same)  some threads sum a few weights
//   conv2d_filter_parts_DTYPE(partial, out, weights, parts)  adds parts in their order
#include "kernels/conv2d/conv2d_filter_tile.cuh"
#include "kernels/device/axis_vectors.cuh"
#include "kernels/device/instances.cuh"
#include "kernels/device/tile_sums.cuh"

namespace loci::cuda {
namespace {

template <int rows, class T, class C>
__device__ void leave_tile(const TileSums<C, rows, kConvColumns>& sums, T* out, C* partial,
                           const ConvGather& gather, const ConvParts& parts,
                           const FilterTile& tile) {
#pragma unroll
  for (int i = 0; i < sums.kRows; ++i) {
    const std::int64_t row = tile.row + sums.row(i);
    if (row >= gather.rows.count) break;
#pragma unroll
    for (int j = 0; j < sums.kColumns; ++j) {
      const std::int64_t column = tile.column + sums.column(j);
      if (column >= gather.row_weights) break;
      leave(out, partial, parts,
            (tile.group * gather.rows.count + row) * gather.row_weights + column, tile.part,
            gather.groups.count * gather.group_weights, sums.of[i][j]);
    }
  }
}

// A thread's terms are those of one window.
template <int rows, class T, class C>
__device__ void load_terms(Terms<C, rows>& grad_terms, Terms<C, kConvColumns>& source_terms,
                           const T* source, const T* out_grad, const ConvGather& gather,
                           const FilterTile& tile, const Tap* taps, const Placed& at,
                           bool is_there) {
  const int depth = static_cast<int>(threadIdx.x) % kDepth;
  const int line = static_cast<int>(threadIdx.x) / kDepth;
  const std::int64_t plane = gather.height.places.count * gather.width.places.count;
  const std::int64_t rows_left = is_there ? gather.rows.count - tile.row : 0;
  const std::int64_t columns_left = is_there ? gather.row_weights - tile.column : 0;
  const T* grads = out_grad + at.result + tile.row * plane;
#pragma unroll
  for (int i = 0; i < rows; i += kSide) {
    const int row = i + line;
    grad_terms[depth][row] = row < rows_left ? Element<T>::widen(grads[row * plane]) : C{0};
  }
#pragma unroll
  for (int j = 0; j < kConvColumns; j += kSide) {
    const int column = j + line;
    source_terms[depth][column] =
        column < columns_left ? at.window.element(source, taps[column]) : C{0};
  }
}

template <int rows, class T>
__device__ void sum_tile(const T* source, const T* out_grad, T* out, computed_t<T>* partial,
                         const ConvGather& gather, const ConvParts& parts, const FilterTile& tile) {
  using C = computed_t<T>;
  __shared__ Terms<C, rows> grad_terms;
  __shared__ Terms<C, kConvColumns> source_terms;
  __shared__ Tap taps[kConvColumns];
  const int thread = static_cast<int>(threadIdx.x);
  const int depth = thread % kDepth;
  const ImagePhase phase = all_places(gather);
  const WindowRange range = part_of(parts, tile.part);
  __syncthreads();  // the taps of the tile before were read
  if (thread < kConvColumns) taps[thread] = tap_of_column(gather, phase, tile.column + thread);
  Walk walk = walk_windows(gather, range.begin + depth, kDepth);
  TileSums<C, rows, kConvColumns> sums;
#pragma unroll 1
  for (std::int64_t k = range.begin; k < range.end; k += kDepth) {
    __syncthreads();  // the terms before were read, and the taps are there
    load_terms<rows>(grad_terms, source_terms, source, out_grad, gather, tile, taps,
                     placed(gather, phase, tile.group, walk), k + depth < range.end);
    walk.advance();
    __syncthreads();
    sums.add(grad_terms, source_terms);
  }
  leave_tile(sums, out, partial, gather, parts, tile);
}

template <int rows, class T>
__device__ void sum_filter(const T* source, const T* out_grad, T* out, computed_t<T>* partial,
                           const ConvGather& gather, const ConvParts& parts) {
  const std::int64_t tiles = filter_tiles(gather, parts);
  for (std::int64_t i = blockIdx.x; i < tiles; i += gridDim.x) {
    sum_tile<rows>(source, out_grad, out, partial, gather, parts, filter_tile<rows>(gather, i));
  }
}

// Taps side by side, of a row of weights. Behind its last one, that again.
struct Strip {
  __device__ Strip(const ConvGather& gather, const ImagePhase& phase, std::int64_t column) {
    const std::int64_t left = gather.row_weights - column;
    count = left < kWeightsOfTeam ? static_cast<int>(left) : kWeightsOfTeam;
    Walk walk(column, 1, gather.height.taps, gather.width.taps);
#pragma unroll
    for (int i = 0; i < kWeightsOfTeam; ++i) {
      taps[i] = tap_at(gather, phase, walk.outer(), walk.middle(), walk.inner());
      if (i + 1 < count) walk.advance();
    }
  }
  int count;
  Tap taps[kWeightsOfTeam];
};

template <class C>
struct StripSums {
  __device__ friend StripSums operator+(StripSums x, const StripSums& y) {
#pragma unroll
    for (int i = 0; i < kWeightsOfTeam; ++i) x.of[i] += y.of[i];
    return x;
  }
  template <class T>
  __device__ void add(const T* source, const Window& window, const Strip& strip, C grad) {
#pragma unroll
    for (int i = 0; i < kWeightsOfTeam; ++i) {
      of[i] = plus_product(of[i], grad, window.element(source, strip.taps[i]));
    }
  }

  C of[kWeightsOfTeam];
};

template <class T>
__device__ void sum_filter_directly(const T* source, const T* out_grad, T* out,
                                    computed_t<T>* partial, const ConvGather& gather,
                                    const ConvParts& parts) {
  const RowTeam team(parts.width);
  const ImagePhase phase = all_places(gather);
  const std::int64_t rows = gather.groups.count * gather.rows.count;
  const std::int64_t plane = gather.height.places.count * gather.width.places.count;
  const std::int64_t items = rows * gather.column_tiles.count * parts.parts;
  for (std::int64_t item = team.first_item(); item < items; item += team.item_step()) {
    const Split column = split(item, gather.column_tiles);
    const std::int64_t part = column.outer / rows;
    const std::int64_t row = column.outer - part * rows;
    const Split group = split(row, gather.rows);
    const Strip strip(gather, phase, column.rest * kWeightsOfTeam);
    const WindowRange range = part_of(parts, part);
    Walk walk = walk_windows(gather, range.begin + team.member(), team.size());
    StripSums<computed_t<T>> sums{};
#pragma unroll 1
    for (std::int64_t k = range.begin + team.member(); k < range.end; k += team.size()) {
      const Placed at = placed(gather, phase, group.outer, walk);
      sums.add(source, at.window, strip,
               Element<T>::widen(out_grad[at.result + group.rest * plane]));
      walk.advance();
    }
    sums = team.template fold<Plus>(sums);
    if (team.member() != 0) continue;
    const std::int64_t first = row * gather.row_weights + column.rest * kWeightsOfTeam;
#pragma unroll
    for (int i = 0; i < kWeightsOfTeam; ++i) {
      if (i >= strip.count) break;
      leave(out, partial, parts, first + i, part, rows * gather.row_weights, sums.of[i]);
    }
  }
}

template <class T>
__device__ void add_parts(const computed_t<T>* partial, T* out, std::int64_t weights,
                          std::int64_t parts) {
  const Turns turn = turns();
  for (std::int64_t i = turn.first; i < weights; i += turn.step) {
    computed_t<T> sum = 0;
#pragma unroll 4
    for (std::int64_t part = 0; part < parts; ++part) sum += partial[part * weights + i];
    out[i] = Element<T>::narrow(sum);
  }
}

}  // namespace

#define LOCI_CONV_FILTER_FORM(name, T, form)                                                     \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                                    \
      name(const T* source, const T* out_grad, T* out, computed_t<T>* partial,                   \
           const __grid_constant__ ConvGather gather, const __grid_constant__ ConvParts parts) { \
    form(source, out_grad, out, partial, gather, parts);                                         \
  }
#define LOCI_CONV_FILTER_TILES(dtype, T)                                     \
  LOCI_CONV_FILTER_FORM(conv2d_filter_##dtype, T, sum_filter<kConvManyRows>) \
  LOCI_CONV_FILTER_FORM(conv2d_filter_few_##dtype, T, sum_filter<kConvFewRows>)
#define LOCI_CONV_FILTER(dtype, T, ...)                                                    \
  LOCI_CONV_FILTER_FORM(conv2d_filter_direct_##dtype, T, sum_filter_directly)              \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) conv2d_filter_parts_##dtype( \
      const computed_t<T>* partial, T* out, std::int64_t weights, std::int64_t parts) {    \
    add_parts(partial, out, weights, parts);                                               \
  }

// Tensor cores have the tiles of halves.
LOCI_CONV_FILTER_TILES(f32, float)
LOCI_CONV_FILTER_TILES(f64, double)
LOCI_FLOATS(LOCI_CONV_FILTER)

}  // namespace loci::cuda
