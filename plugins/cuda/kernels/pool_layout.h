// Where the windows of pool2d lie; for both sides of a launch.
#pragma once

#include "kernels/division.h"

namespace loci::cuda {

// Window o covers the inputs from o * stride - before on, `kernel` of them; those outside of the
// image are padding.
struct PoolAxis {
  Divisor input;
  Divisor output;  // windows
  Divisor stride;
  std::int64_t kernel;
  std::int64_t before;
};

struct PoolLayout {
  std::int64_t planes;  // batch times channels
  PoolAxis height;
  PoolAxis width;
  std::int64_t full_window;  // what sums are divided by; 0: by the elements inside of the image
  std::int32_t team;         // threads that fold a window, as RowTeam has them
};

}  // namespace loci::cuda
