// Where the windows of pool2d lie; for both sides of a launch.
#pragma once

#include "kernels/launch/fast_divmod.h"

namespace loci::cuda {

// Window o covers the inputs from o * stride - before on, `kernel` of them; those outside of the
// image are padding.
struct PoolAxis {
  FastDivmod input;
  FastDivmod output;  // windows
  FastDivmod stride;
  std::int64_t kernel;
  std::int64_t before;
  std::int64_t padded_end;  // behind the image and the padding that counts in averages
};

struct PoolLayout {
  std::int64_t planes;  // batch times channels
  PoolAxis height;
  PoolAxis width;
  std::int32_t team;            // threads that fold a window, as RowTeam has them
  std::int32_t counts_padding;  // whether averages are of padding as well
};

}  // namespace loci::cuda
