// How the elements of a reduction are shared among threads; for both sides of a launch.
#pragma once

#include "kernels/launch/element_axes.h"
#include "kernels/launch/fast_divmod.h"

namespace loci::cuda {

// Each output is made of `count` elements, in `splits` parts of `chunk` positions at most, so that
// few outputs keep a whole device busy. The parts depend on the shape alone, and so do results.
//
// Rows, where the innermost axis goes: `width` threads side by side fold a part, some of a warp or
// all of a block. Columns, where it stays: a block has `width` threads side by side, each of which
// folds `lanes` outputs side by side.
struct ReduceLayout {
  std::int64_t outputs;
  std::int64_t count;
  std::int64_t chunk;
  std::int64_t inner;  // columns: outputs that lie side by side
  FastDivmod splits;
  FastDivmod strips;  // columns: of as many outputs as a block folds, in `inner`
  std::int32_t width;
  std::int32_t lanes;        // columns
  std::int32_t parts_width;  // threads side by side where parts are folded, each an output
  ElementAxes kept;          // columns: without the innermost
  ElementAxes reduced;       // rows: the innermost with a step of 1
};

// Columns of a thread, if they are of fewer bytes than it loads at once.
inline constexpr int kMostColumnLanes = 8;

}  // namespace loci::cuda
