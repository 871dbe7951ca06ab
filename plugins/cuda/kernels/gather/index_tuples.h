// Tuples of positions, each of which names a row of a table; for both sides of a launch.
#pragma once

#include "kernels/gather/index_fault.h"
#include "kernels/launch/axes.h"

namespace loci::cuda {

// The rows of each element of a batch lie together, and so do its tuples.
struct IndexTuples {
  std::int64_t count;          // tuples
  std::int64_t of_batch;       // tuples of each element of a batch
  std::int64_t rows_of_batch;  // the same of rows
  std::int32_t length;         // positions of a tuple
  std::int64_t extents[kMostAxes];
  std::int64_t steps[kMostAxes];  // in rows
  IndexWatch watch;
};

}  // namespace loci::cuda
