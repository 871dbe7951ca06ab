// The rows that are gathered; for both sides of a launch.
#pragma once

#include <cstdint>

#include "kernels/gather/index_fault.h"
#include "kernels/gather/row_names.h"

namespace loci::cuda {

// A gather takes, of each of `tables` tables of `rows` rows, those that `count` ids name.
struct GatherRows {
  std::int64_t tables;
  std::int64_t count;
  std::int64_t rows;
  std::int64_t padding;  // a row that reads as zeros, and has no gradient; -1: none
  RowNames names;
  IndexWatch watch;
};

}  // namespace loci::cuda
