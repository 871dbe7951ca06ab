// How the host lays work on vectors, rows and columns out on threads.
#pragma once

#include <cstdint>
#include <loci/plugin/axis_walk.hpp>
#include <loci/plugin/dims.hpp>
#include <loci/plugin/reduction.hpp>

#include "kernels/reduce_layout.h"
#include "kernels/vector_layout.h"

namespace loci::cuda {

ElementAxes element_axes(const sdk::AxisList& axes);

// Of elements of a dtype. `plan` has outputs.
ReduceLayout reduce_layout(const sdk::ReducePlan& plan, loci_dtype dtype);

// Threads that work at once, if the grid is not too large for it.
std::int64_t threads_of(const ReduceLayout& layout, bool are_rows);
std::int64_t threads_of_parts(const ReduceLayout& layout);

// Vectors along an axis, of elements of a dtype: rows if they lie side by side.
struct AxisVectors {
  bool are_rows;
  int held;  // which instance of a kernel suits
  VectorLayout layout;
};
AxisVectors axis_vectors(const sdk::AxisSplit& split, loci_dtype dtype);

// Rows that are `outer` runs of `run` elements each, which are `step` apart; the first run of the
// next row lies behind that of the one before.
struct RunRows {
  std::int64_t rows;
  std::int64_t outer;
  std::int64_t run;
  std::int64_t step;
};
// `most_held` says which instances there are.
AxisVectors run_vectors(const RunRows& rows, loci_dtype dtype, int most_held = kManyHeld);

std::int64_t threads_of(const AxisVectors& vectors);

// Shared memory for `rows` rows that all vectors share; 0 if it has no room for them.
std::uint32_t staged_bytes(const AxisVectors& vectors, int rows, loci_dtype dtype);

// Blocks that stage such rows: so few that to read those is little beside the vectors, unless a
// device of so many multiprocessors would idle.
std::int64_t staging_blocks(const AxisVectors& vectors, std::int64_t multiprocessors);

}  // namespace loci::cuda
