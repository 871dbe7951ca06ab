// Edges of graphs may carry data. The double has plain ones alone: all of a node before all of
// another.
#pragma once

#include <cuda.h>

#include <cstddef>

namespace loci::cuda_double {

// Throws DriverError: not supported for programmatic edges and other ports, which are named, and
// invalid value for what no driver has. NULL means that all are plain.
void require_plain_edges(const CUgraphEdgeData* data, std::size_t count);
// Checks edges that are to be removed in that way: there are none that are not plain.
void require_existing_edges(const CUgraphEdgeData* data, std::size_t count);
// Fills the places, if there are any.
void put_plain_edges(CUgraphEdgeData* places, std::size_t count);

}  // namespace loci::cuda_double
