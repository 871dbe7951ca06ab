// Strided copies of units of 1 to 16 bytes, on which both sides are aligned. copy_BYTES(from, to,
// axes) moves them in the order of the target. transpose_BYTES(from, to, axes) moves squares of
// them through shared memory, so that either side is touched in runs.
#include <cstdint>

#include "kernels/block_threads.h"
#include "kernels/elements.cuh"
#include "kernels/locate.cuh"
#include "kernels/strided_axes.h"

namespace loci::cuda {
namespace {

template <class Unit>
__device__ void move_unit(const char* from, char* to) {
  *reinterpret_cast<Unit*>(to) = *reinterpret_cast<const Unit*>(from);
}

template <class Unit>
__device__ void copy_units(const char* from, char* to, const StridedAxes& axes) {
  const Turns turn = turns();
  for (std::int64_t i = turn.first; i < axes.count; i += turn.step) {
    const auto at = locate(axes, i);
    move_unit<Unit>(from + at.of[0], to + at.of[1]);
  }
}

constexpr int kTileRows = kBlockThreads / kTileSide;  // that a block moves at once

// A column more than the side, so that lanes that walk down a column meet different banks.
template <class Unit>
using Tile = Unit[kTileSide][kTileSide + 1];

// The square whose first unit is at `line` and `column`.
template <class Unit>
__device__ void load_tile(Tile<Unit>& tile, const char* from, const TransposedAxes& axes,
                          std::int64_t line, std::int64_t column) {
  const int lane = threadIdx.x % kTileSide;
  if (line + lane >= axes.lines) return;
  for (int i = threadIdx.x / kTileSide; i < kTileSide; i += kTileRows) {
    if (column + i >= axes.columns) return;
    tile[i][lane] =
        *reinterpret_cast<const Unit*>(from + (column + i) * axes.from_step +
                                       (line + lane) * static_cast<std::int64_t>(sizeof(Unit)));
  }
}

template <class Unit>
__device__ void store_tile(const Tile<Unit>& tile, char* to, const TransposedAxes& axes,
                           std::int64_t line, std::int64_t column) {
  const int lane = threadIdx.x % kTileSide;
  if (column + lane >= axes.columns) return;
  for (int i = threadIdx.x / kTileSide; i < kTileSide; i += kTileRows) {
    if (line + i >= axes.lines) return;
    *reinterpret_cast<Unit*>(to + (line + i) * axes.to_step +
                             (column + lane) * static_cast<std::int64_t>(sizeof(Unit))) =
        tile[lane][i];
  }
}

__device__ std::int64_t tiles_of(std::int64_t extent) {
  return (extent + kTileSide - 1) / kTileSide;
}

template <class Unit>
__device__ void transpose_units(const char* from, char* to, const TransposedAxes& axes) {
  __shared__ Tile<Unit> tile;
  const std::int64_t down = tiles_of(axes.lines);
  const std::int64_t across = tiles_of(axes.columns);
  const std::int64_t all = axes.outer.count * down * across;
  for (std::int64_t i = blockIdx.x; i < all; i += gridDim.x) {
    const auto at = locate(axes.outer, i / (down * across));
    const std::int64_t line = i / across % down * kTileSide;
    const std::int64_t column = i % across * kTileSide;
    load_tile(tile, from + at.of[0], axes, line, column);
    __syncthreads();
    store_tile(tile, to + at.of[1], axes, line, column);
    __syncthreads();
  }
}

}  // namespace

#define LOCI_STRIDED_COPY(bytes, Unit)                                                             \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                                      \
      copy_##bytes(const char* from, char* to, const __grid_constant__ StridedAxes axes) {         \
    copy_units<Unit>(from, to, axes);                                                              \
  }                                                                                                \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                                      \
      transpose_##bytes(const char* from, char* to, const __grid_constant__ TransposedAxes axes) { \
    transpose_units<Unit>(from, to, axes);                                                         \
  }

LOCI_STRIDED_COPY(1, std::uint8_t)
LOCI_STRIDED_COPY(2, std::uint16_t)
LOCI_STRIDED_COPY(4, std::uint32_t)
LOCI_STRIDED_COPY(8, std::uint64_t)
LOCI_STRIDED_COPY(16, Vector<std::uint32_t>)

}  // namespace loci::cuda
