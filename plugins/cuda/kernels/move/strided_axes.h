// A strided copy walks these axes; for both sides of a launch.
#pragma once

#include "kernels/launch/axes.h"
#include "kernels/launch/fast_divmod.h"

namespace loci::cuda {

// Twice the dimensions of a tensor, and one for runs that are longer than a thread moves at once.
// Steps are in bytes, of the source and of the target.
using StridedAxes = Axes<2, 2 * kMostAxes + 1>;

// A matrix of units that is contiguous along its lines in the source and along its rows in the
// target, for each position of `outer`, which counts no positions for the matrix.
struct TransposedAxes {
  StridedAxes outer;
  std::int64_t lines;      // contiguous in the source
  std::int64_t columns;    // contiguous in the target
  std::int64_t from_step;  // of a column in the source, bytes
  std::int64_t to_step;    // of a line in the target, bytes
};

// The tiles of such matrices, in the order in which blocks take them: those along the shorter side
// first, so that what is moved at about the same time lies together on both sides.
struct TransposedTiles {
  std::int64_t count;
  FastDivmod inside;  // tiles along the shorter side, and along the other
  FastDivmod outside;
  bool is_down_inside;  // lines are the shorter side
};

// Units on a side of a tile which goes through shared memory.
inline constexpr int kTileSide = 32;

// A thread turns a square of units in its registers: 16 bytes a side, or so many units.
inline constexpr int kMostSquareSide = 8;
// The squares on a side of a tile. Lanes of a warp touch 64 bytes of a line and 128 of a row.
inline constexpr int kTileSquares = 16;

}  // namespace loci::cuda
