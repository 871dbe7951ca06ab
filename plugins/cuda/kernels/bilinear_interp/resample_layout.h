// Where the elements of bilinear_interp lie; for both sides of a launch.
#pragma once

#include "kernels/launch/fast_divmod.h"

namespace loci::cuda {

// The positions that sdk::ResamplePosition has. They are computed on the device, in double as
// there: a table of them would be memory that a prepared kernel may not have.
struct ResampleMap {
  FastDivmod source;
  FastDivmod result;
  double ratio;
  bool is_centred;
};

struct ResampleLayout {
  std::int64_t planes;  // batch times channels
  ResampleMap rows;
  ResampleMap columns;
};

}  // namespace loci::cuda
