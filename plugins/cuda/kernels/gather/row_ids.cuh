// Rows of tables by id.
#pragma once

#include <cassert>
#include <cstdint>

#include "kernels/gather/index_fault.h"
#include "kernels/gather/row_names.h"

namespace loci::cuda {

// An id that names no row, among the rows of a gradient.
inline constexpr std::int64_t kNoRow = -1;

// Leaves the first index of those that lie outside of their tables.
__device__ inline void leave_fault(const IndexWatch& watch, std::int64_t index,
                                   std::int64_t position, std::int64_t rows,
                                   std::int64_t first = 0) {
  IndexFault* const fault = watch.fault;
  if (atomicCAS(&fault->is_taken, 0U, 1U) != 0U) return;
  fault->index = index;
  fault->position = position;
  fault->first = first;
  fault->rows = rows;
  fault->argument = watch.argument;
  __threadfence_system();
  *static_cast<volatile std::uint32_t*>(&fault->is_written) = 1;
  __threadfence_system();
}

// Gives the position of an index along an extent, from the start: a negative one counts from the
// end. One outside ends the kernel, and with it the context: the device has no way to give an error
// back that the host could go on from.
template <class Id>
__device__ std::int64_t position_of(const Id* ids, std::int64_t at, std::int64_t extent,
                                    const IndexWatch& watch) {
  const std::int64_t id = ids[at];
  const bool is_there = id >= -extent && id < extent;
  if (!is_there) leave_fault(watch, id, at, extent, -extent);
  assert(is_there && "a position is not in the tensor");
  return id < 0 ? id + extent : id;
}

// The row that the index at a position names, or kNoRow. One outside of the table ends the kernel
// too.
template <class Id>
__device__ std::int64_t row_of(const Id* ids, std::int64_t position, std::int64_t rows,
                               RowNames names, const IndexWatch& watch) {
  if (names == RowNames::kPositions) return position_of(ids, position, rows, watch);
  const std::int64_t id = ids[position];
  const std::int64_t least = names == RowNames::kIdsOrNone ? kNoRow : 0;
  const bool is_there = id >= least && id < rows;
  if (!is_there) leave_fault(watch, id, position, rows);
  assert(is_there && "an id is not in the table");
  return id;
}

}  // namespace loci::cuda
