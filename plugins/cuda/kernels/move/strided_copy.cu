// Strided copies of units of 1 to 16 bytes, on which both sides are aligned. copy_BYTES(from, to,
// axes) moves them in the order of the target. transpose_BYTES(from, to, axes, tiles) moves tiles
// of them through shared memory, so that either side is touched in runs. In
// transpose_squares_BYTES(from, to, axes, tiles) a thread turns a square in its registers, of
// whole vectors on both sides.
#include <cstdint>
#include <type_traits>

#include "kernels/device/elements.cuh"
#include "kernels/device/locate.cuh"
#include "kernels/launch/block_threads.h"
#include "kernels/move/strided_axes.h"

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

// Where a tile begins.
struct TilePlace {
  Offsets<2> matrix;
  std::int64_t line;
  std::int64_t column;
};

__device__ TilePlace tile_place(const TransposedAxes& axes, const TransposedTiles& tiles,
                                std::int64_t tile, int side) {
  const std::int64_t rest = quotient(tile, tiles.inside);
  const std::int64_t matrix = quotient(rest, tiles.outside);
  const std::int64_t inside = (tile - rest * tiles.inside.value) * side;
  const std::int64_t outside = (rest - matrix * tiles.outside.value) * side;
  return {locate(axes.outer, matrix), tiles.is_down_inside ? inside : outside,
          tiles.is_down_inside ? outside : inside};
}

constexpr int kTileRows = kBlockThreads / kTileSide;  // that a block moves at once
constexpr int kTileMoves = kTileSide / kTileRows;

// A column more than the side, so that lanes that walk down a column meet different banks.
template <class Unit>
using Tile = Unit[kTileSide][kTileSide + 1];

template <class Unit>
__device__ void load_tile(Tile<Unit>& tile, const char* from, const TransposedAxes& axes,
                          const TilePlace& place) {
  const int lane = threadIdx.x % kTileSide;
  const int first = threadIdx.x / kTileSide;
  if (place.line + lane >= axes.lines) return;
  const char* unit = from + (place.column + first) * axes.from_step +
                     (place.line + lane) * static_cast<std::int64_t>(sizeof(Unit));
  const std::int64_t left = axes.columns - place.column - first;
#pragma unroll
  for (int i = 0; i < kTileMoves; ++i, unit += kTileRows * axes.from_step) {
    if (i * kTileRows >= left) break;
    tile[first + i * kTileRows][lane] = *reinterpret_cast<const Unit*>(unit);
  }
}

template <class Unit>
__device__ void store_tile(const Tile<Unit>& tile, char* to, const TransposedAxes& axes,
                           const TilePlace& place) {
  const int lane = threadIdx.x % kTileSide;
  const int first = threadIdx.x / kTileSide;
  if (place.column + lane >= axes.columns) return;
  char* unit = to + (place.line + first) * axes.to_step +
               (place.column + lane) * static_cast<std::int64_t>(sizeof(Unit));
  const std::int64_t left = axes.lines - place.line - first;
#pragma unroll
  for (int i = 0; i < kTileMoves; ++i, unit += kTileRows * axes.to_step) {
    if (i * kTileRows >= left) break;
    *reinterpret_cast<Unit*>(unit) = tile[lane][first + i * kTileRows];
  }
}

template <class Unit>
__device__ void transpose_units(const char* from, char* to, const TransposedAxes& axes,
                                const TransposedTiles& tiles) {
  __shared__ Tile<Unit> tile;
  for (std::int64_t i = blockIdx.x; i < tiles.count; i += gridDim.x) {
    const TilePlace place = tile_place(axes, tiles, i, kTileSide);
    load_tile(tile, from + place.matrix.of[0], axes, place);
    __syncthreads();
    store_tile(tile, to + place.matrix.of[1], axes, place);
    __syncthreads();
  }
}

// A vector of each of as many rows as it has units, in words.
template <class Unit>
struct Square {
  static constexpr int kSide = sizeof(Unit) == 1 ? kMostSquareSide : 16 / sizeof(Unit);
  using Word = std::conditional_t<sizeof(Unit) < 4, std::uint32_t, Unit>;
  using Row = Vector<Word, kSide * sizeof(Unit) / sizeof(Word)>;
  Row rows[kSide];
};

template <class Unit>
__device__ void turn(const Square<Unit>& from, Square<Unit>& to) {
#pragma unroll
  for (int i = 0; i < Square<Unit>::kSide; ++i) {
#pragma unroll
    for (int j = 0; j < Square<Unit>::kSide; ++j) to.rows[j].lanes[i] = from.rows[i].lanes[j];
  }
}

// The lower halves of two words, and the upper ones.
__device__ inline std::uint32_t lower_halves(std::uint32_t x, std::uint32_t y) {
  return __byte_perm(x, y, 0x5410);
}
__device__ inline std::uint32_t upper_halves(std::uint32_t x, std::uint32_t y) {
  return __byte_perm(x, y, 0x7632);
}

__device__ inline void turn(const Square<std::uint16_t>& from, Square<std::uint16_t>& to) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const std::uint32_t x = from.rows[2 * i].lanes[j];
      const std::uint32_t y = from.rows[2 * i + 1].lanes[j];
      to.rows[2 * j].lanes[i] = lower_halves(x, y);
      to.rows[2 * j + 1].lanes[i] = upper_halves(x, y);
    }
  }
}

// Bytes first become pairs of two rows: of the lower halves of their words, and the upper ones.
__device__ inline void turn(const Square<std::uint8_t>& from, Square<std::uint8_t>& to) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const auto pairs = [&](int row, std::uint32_t select) {
        return __byte_perm(from.rows[4 * i + row].lanes[j], from.rows[4 * i + row + 1].lanes[j],
                           select);
      };
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const std::uint32_t select = half == 0 ? 0x5140 : 0x7362;
        const std::uint32_t x = pairs(0, select);
        const std::uint32_t y = pairs(2, select);
        to.rows[4 * j + 2 * half].lanes[i] = lower_halves(x, y);
        to.rows[4 * j + 2 * half + 1].lanes[i] = upper_halves(x, y);
      }
    }
  }
}

// Where a thread's square lies in a tile, in squares: four lanes side by side along the lines and
// eight along the columns, and warps in four by two of those.
struct SquarePlace {
  __device__ SquarePlace()
      : line(static_cast<int>(threadIdx.x % 4 + threadIdx.x / 32 % 4 * 4)),
        column(static_cast<int>(threadIdx.x / 4 % 8 + threadIdx.x / 128 * 8)) {}
  int line;
  int column;
};
static_assert(kTileSquares * kTileSquares == kBlockThreads);

// Both extents are whole squares, and all rows of them whole vectors.
template <class Unit>
__device__ void transpose_squares(const char* from, char* to, const TransposedAxes& axes,
                                  const TransposedTiles& tiles) {
  using Row = typename Square<Unit>::Row;
  constexpr int kSide = Square<Unit>::kSide;
  const SquarePlace square;
  for (std::int64_t i = blockIdx.x; i < tiles.count; i += gridDim.x) {
    const TilePlace place = tile_place(axes, tiles, i, kTileSquares * kSide);
    const std::int64_t line = place.line + square.line * kSide;
    const std::int64_t column = place.column + square.column * kSide;
    if (line >= axes.lines || column >= axes.columns) continue;
    const char* source = from + place.matrix.of[0] + column * axes.from_step +
                         line * static_cast<std::int64_t>(sizeof(Unit));
    Square<Unit> in;
#pragma unroll
    for (Row& row : in.rows) {
      row = *reinterpret_cast<const Row*>(source);
      source += axes.from_step;
    }
    Square<Unit> out;
    turn(in, out);
    char* target = to + place.matrix.of[1] + line * axes.to_step +
                   column * static_cast<std::int64_t>(sizeof(Unit));
#pragma unroll
    for (const Row& row : out.rows) {
      *reinterpret_cast<Row*>(target) = row;
      target += axes.to_step;
    }
  }
}

}  // namespace

#define LOCI_STRIDED_COPY(bytes, Unit)                                                           \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                                    \
      copy_##bytes(const char* from, char* to, const __grid_constant__ StridedAxes axes) {       \
    copy_units<Unit>(from, to, axes);                                                            \
  }                                                                                              \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                                    \
      transpose_##bytes(const char* from, char* to, const __grid_constant__ TransposedAxes axes, \
                        const __grid_constant__ TransposedTiles tiles) {                         \
    transpose_units<Unit>(from, to, axes, tiles);                                                \
  }                                                                                              \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) transpose_squares_##bytes(         \
      const char* from, char* to, const __grid_constant__ TransposedAxes axes,                   \
      const __grid_constant__ TransposedTiles tiles) {                                           \
    transpose_squares<Unit>(from, to, axes, tiles);                                              \
  }

LOCI_STRIDED_COPY(1, std::uint8_t)
LOCI_STRIDED_COPY(2, std::uint16_t)
LOCI_STRIDED_COPY(4, std::uint32_t)
LOCI_STRIDED_COPY(8, std::uint64_t)
LOCI_STRIDED_COPY(16, Vector<std::uint32_t>)

}  // namespace loci::cuda
