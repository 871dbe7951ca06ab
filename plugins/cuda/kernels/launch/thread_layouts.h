// How the host lays work on vectors, rows and columns out on threads.
#pragma once

#include <cstdint>
#include <loci/plugin/axis_walk.hpp>
#include <loci/plugin/dims.hpp>
#include <loci/plugin/reduction.hpp>
#include <string>

#include "kernels/launch/vector_layout.h"
#include "kernels/reduce/reduce_layout.h"

namespace loci::cuda {

ElementAxes element_axes(const sdk::AxisList& axes);

// Lays out a reduction of elements of a dtype. `plan` has outputs.
ReduceLayout reduce_layout(const sdk::ReducePlan& plan, loci_dtype dtype);

// Threads that work at once, if the grid is not too large for it.
std::int64_t threads_of(const ReduceLayout& layout, bool are_rows);
std::int64_t threads_of_parts(const ReduceLayout& layout);

// Vectors along an axis, and the kernel for them. Rows lie side by side, with their elements in
// runs maybe; columns do not. Of whole rows, each one run of vectors of 16 bytes, some lanes, a
// warp or a block have one in registers.
enum class AxisWay { kRows, kColumns, kLanes, kWarp, kBlock };

struct AxisVectors {
  // Returns the end of the kernel's name: "_warp_4".
  [[nodiscard]] std::string instance() const;
  [[nodiscard]] bool are_columns() const { return way == AxisWay::kColumns; }
  [[nodiscard]] bool are_whole() const { return way >= AxisWay::kLanes; }

  AxisWay way;
  int held;  // elements that a thread has in registers, of whole rows vectors of 16 bytes
  VectorLayout layout;
};

// The kernels that an operation has for rows.
struct RowKernels {
  int most_held = kManyHeld;
  int whole_arrays = 0;  // that those of whole rows go through together; 0: there are none
};

// Lays out vectors of elements of a dtype.
AxisVectors axis_vectors(const sdk::AxisSplit& split, loci_dtype dtype,
                         const RowKernels& kernels = {});

// Rows that are `outer` runs of `run` elements each, which are `step` apart; the first run of the
// next row lies behind that of the one before.
struct RunRows {
  std::int64_t rows;
  std::int64_t outer;
  std::int64_t run;
  std::int64_t step;
};
AxisVectors run_vectors(const RunRows& rows, loci_dtype dtype, const RowKernels& kernels = {});

std::int64_t threads_of(const AxisVectors& vectors);

// Shared memory for `rows` rows that all vectors share; 0 if it has no room for them.
std::uint32_t staged_bytes(const AxisVectors& vectors, int rows, loci_dtype dtype);

// Blocks that stage such rows: so few that to read those is little beside the vectors, unless a
// device of so many multiprocessors would idle.
std::int64_t staging_blocks(const AxisVectors& vectors, std::int64_t multiprocessors);

}  // namespace loci::cuda
