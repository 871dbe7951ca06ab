// Which rows of a parameter a gradient has; for both sides of a launch.
#pragma once

#include "kernels/launch/fast_divmod.h"

namespace loci::cuda {

struct RowUpdate {
  const std::uint64_t* keys;  // sorted, as row_keys.cuh has them
  std::int64_t count;         // of them
  FastDivmod width;           // elements of a row
  bool is_lazy;  // rows that do not occur keep their state; else they see a gradient of 0
};

}  // namespace loci::cuda
