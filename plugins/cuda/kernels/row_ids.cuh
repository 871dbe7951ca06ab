// Rows of tables by id.
#pragma once

#include <cassert>
#include <cstdint>

namespace loci::cuda {

// The row of an id. One outside of the table ends the kernel, and with it the context: the device
// has no way to give an error back that the host could go on from.
template <class Id>
__device__ std::int64_t row_of(Id id, std::int64_t rows) {
  assert(id >= 0 && id < rows && "an id is not in the table");
  return id;
}

}  // namespace loci::cuda
