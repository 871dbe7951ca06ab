// Convolutions of images, and the gradients of their images, which gather alike.
//   conv2d_DTYPE, conv2d_few_DTYPE(source, weights, out, gather, epilogue)  blocks take turns at
//     tiles of the results, whose terms they have in shared memory
//   conv2d_direct_DTYPE(the same)  threads take turns at results
#include "kernels/conv2d/conv2d_epilogue.cuh"
#include "kernels/conv2d/conv2d_tile.cuh"
#include "kernels/device/instances.cuh"
#include "kernels/device/tile_sums.cuh"

namespace loci::cuda {
namespace {

// Weights of taps follow one another, unless windows are of one tap, where those of rows may.
template <int rows, class T, class C>
__device__ void load_weights(Terms<C, rows>& terms, const T* weights, const ConvGather& gather,
                             std::int64_t rows_left, const Tap* taps, std::int64_t taps_left) {
  const bool along_rows = gather.row_weights == 1;
#pragma unroll
  for (int i = 0; i < rows * kDepth; i += kBlockThreads) {
    const int item = i + static_cast<int>(threadIdx.x);
    const int depth = along_rows ? item / rows : item % kDepth;
    const int row = along_rows ? item % rows : item / kDepth;
    C term{0};
    if (row < rows_left && depth < taps_left) {
      term = Element<T>::widen(weights[row * gather.row_weights + taps[depth].weight]);
    }
    terms[depth][row] = term;
  }
}

// A thread's elements are those of one window.
template <class T, class C>
__device__ void load_elements(Terms<C, kConvColumns>& terms, const T* source, const Window& window,
                              const Tap* taps, std::int64_t taps_left) {
  const int column = static_cast<int>(threadIdx.x) % kConvColumns;
#pragma unroll
  for (int i = 0; i < kDepth; i += kBlockThreads / kConvColumns) {
    const int depth = i + static_cast<int>(threadIdx.x) / kConvColumns;
    terms[depth][column] = depth < taps_left ? window.element(source, taps[depth]) : C{0};
  }
}

// The tile's first row is that of `positions`, negative where there is no place.
template <int rows, class T, class C>
__device__ void store_tile(const TileSums<C, rows, kConvColumns>& sums,
                           const std::int64_t* positions, T* out, const ConvGather& gather,
                           const ConvTile& tile, const ConvEpilogue& epilogue) {
  const std::int64_t plane = gather.height.places.count * gather.width.places.count;
  const std::int64_t first_row = tile.group * gather.rows.count + tile.row;
#pragma unroll
  for (int j = 0; j < sums.kColumns; ++j) {
    const std::int64_t position = positions[sums.column(j)];
    if (position < 0) continue;
#pragma unroll
    for (int i = 0; i < sums.kRows; ++i) {
      const int row = sums.row(i);
      if (tile.row + row >= gather.rows.count) break;
      const std::int64_t at = position + row * plane;
      out[at] =
          Element<T>::narrow(epilogue::applied<T>(epilogue, sums.of[i][j], first_row + row, at));
    }
  }
}

template <int rows, class T>
__device__ void convolve_tile(const T* source, const T* weights, T* out, const ConvGather& gather,
                              const ConvTile& tile, const ConvEpilogue& epilogue) {
  using C = computed_t<T>;
  __shared__ Terms<C, rows> weight_terms;
  __shared__ Terms<C, kConvColumns> source_terms;
  __shared__ Tap taps[kDepth];
  __shared__ std::int64_t positions[kConvColumns];  // of the first row's results
  const int thread = static_cast<int>(threadIdx.x);
  const Column own = column_at(gather, tile.column + thread % kConvColumns);
  const std::int64_t position = position_of(gather, tile, own);
  const std::int64_t group = own.image * gather.groups.count + tile.group;
  const Window window(gather, tile.phase, group * gather.channels, own.i, own.j, position >= 0);
  const T* tile_weights =
      weights + tile.group * gather.group_weights + tile.row * gather.row_weights;
  const std::int64_t terms = tile.phase.terms(gather);
  Walk walk(thread, kDepth, tile.phase.height.taps, tile.phase.width.taps);
  TileSums<C, rows, kConvColumns> sums;
  __syncthreads();  // the positions of the tile before were read
  if (thread < kConvColumns) positions[thread] = position;
#pragma unroll 1
  for (std::int64_t k = 0; k < terms; k += kDepth) {
    if (thread < kDepth) {
      taps[thread] = tap_at(gather, tile.phase, walk.outer(), walk.middle(), walk.inner());
      walk.advance();
    }
    __syncthreads();  // the terms before were read, and the taps are there
    load_weights<rows>(weight_terms, tile_weights, gather, gather.rows.count - tile.row, taps,
                       terms - k);
    load_elements(source_terms, source, window, taps, terms - k);
    __syncthreads();
    sums.add(weight_terms, source_terms);
  }
  if (terms == 0) __syncthreads();  // the positions are there
  store_tile(sums, positions, out, gather, tile, epilogue);
}

template <int rows, class T>
__device__ void convolve(const T* source, const T* weights, T* out, const ConvGather& gather,
                         const ConvEpilogue& epilogue) {
  const std::int64_t tiles = tiles_of(gather);
  for (std::int64_t i = blockIdx.x; i < tiles; i += gridDim.x) {
    convolve_tile<rows>(source, weights, out, gather, conv_tile<rows>(gather, i), epilogue);
  }
}

// The result at a position, before its epilogue.
template <class T>
__device__ computed_t<T> gathered(const T* source, const T* weights, const ConvGather& gather,
                                  const Split& row, const Split& image, std::int64_t place) {
  const Split at = split(place, gather.width.places);
  const Split h = split(at.outer, gather.height.divisor);
  const Split w = split(at.rest, gather.width.divisor);
  const ImagePhase phase{phase_at(gather.height, h.rest), phase_at(gather.width, w.rest)};
  const Window window(gather, phase, row.outer * gather.channels, h.outer, w.outer, true);
  const T* own = weights + image.rest * gather.group_weights + row.rest * gather.row_weights;
  computed_t<T> sum = 0;
#pragma unroll 1
  for (std::int64_t channel = 0; channel < gather.channels; ++channel) {
#pragma unroll 1
    for (std::int64_t i = 0; i < phase.height.taps; ++i) {
      Tap tap = tap_at(gather, phase, channel, i, 0);
#pragma unroll 1
      for (std::int64_t j = 0; j < phase.width.taps; ++j) {
        sum = plus_product(sum, Element<T>::widen(own[tap.weight]), window.element(source, tap));
        tap.move(gather.width);
      }
    }
  }
  return sum;
}

template <class T>
__device__ void convolve_directly(const T* source, const T* weights, T* out,
                                  const ConvGather& gather, const ConvEpilogue& epilogue) {
  const Extent& width = gather.width.places;
  const Extent& height = gather.height.places;
  const std::int64_t count =
      gather.batch * gather.groups.count * gather.rows.count * height.count * width.count;
  const Turns turn = turns();
  for (std::int64_t position = turn.first; position < count; position += turn.step) {
    const Split line = split(position, width);
    const Split plane = split(line.outer, height);
    const Split row = split(plane.outer, gather.rows);
    const Split image = split(row.outer, gather.groups);
    const std::int64_t place = plane.rest * width.count + line.rest;
    out[position] = Element<T>::narrow(
        epilogue::applied<T>(epilogue, gathered(source, weights, gather, row, image, place),
                             image.rest * gather.rows.count + row.rest, position));
  }
}

}  // namespace

#define LOCI_CONV_FORM(name, T, form)                                                            \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                                    \
      name(const T* source, const T* weights, T* out, const __grid_constant__ ConvGather gather, \
           const __grid_constant__ ConvEpilogue epilogue) {                                      \
    form(source, weights, out, gather, epilogue);                                                \
  }
#define LOCI_CONV_TILES(dtype, T)                            \
  LOCI_CONV_FORM(conv2d_##dtype, T, convolve<kConvManyRows>) \
  LOCI_CONV_FORM(conv2d_few_##dtype, T, convolve<kConvFewRows>)
#define LOCI_CONV_DIRECT(dtype, T, ...) LOCI_CONV_FORM(conv2d_direct_##dtype, T, convolve_directly)

// Tensor cores have the tiles of halves.
LOCI_CONV_TILES(f32, float)
LOCI_CONV_TILES(f64, double)
LOCI_FLOATS(LOCI_CONV_DIRECT)

}  // namespace loci::cuda
