// Nodes of a graph for people to read.
#pragma once

#include <string>

#include "captured.h"

namespace loci::cuda_graph {

// "0 relu, item 3: kernel relu_f32, grid 1x1x1, block 256x1x1": a line for each node. One that does
// not wait for the node before it, or for others as well, says what it waits for.
[[nodiscard]] std::string lines_of(const Driver& driver, const Captured& captured);

}  // namespace loci::cuda_graph
