// What a strided copy walks; for both sides of a launch.
#pragma once

#include "kernels/axes.h"

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

// Units on a side of the square that a block transposes at once.
inline constexpr int kTileSide = 32;

}  // namespace loci::cuda
