// The vectors along one axis, and how threads share them; for both sides of a launch.
#pragma once

#include "kernels/launch/element_axes.h"

namespace loci::cuda {

// `count` elements each. Rows, whose elements lie side by side, in runs maybe: `width` threads side
// by side, some of a warp or all of a block, work on one. Columns, `inner` of which lie side by
// side: a block works on `width` of them.
struct VectorLayout {
  std::int64_t vectors;
  std::int64_t count;
  std::int64_t row_step;  // rows: from the first element of one to that of the next
  std::int64_t inner;     // columns
  std::int32_t width;
  ElementAxes places;  // of an element among those of its vector
  bool is_staged;      // blocks copy rows that all vectors share into shared memory first
};

// The elements that each thread of a kernel's instance holds in registers. None: it reads them
// again each time that it goes through them.
inline constexpr int kFewHeld = 8;
inline constexpr int kManyHeld = 16;
inline constexpr int kMostHeld = 32;
inline constexpr int kNoneHeld = 0;

}  // namespace loci::cuda
