// The differences that tell two graphs from each other.
#pragma once

#include <string>

#include "captured.h"

namespace loci::cuda_graph {

// "node 2 (relu, item 3) is a kernel, and was a copy": the first node that is of another kind or
// op or waits for others than before, or in another order, or that there is in one of them alone.
// Empty where there is none: they differ in parameters, if at all, and `cuGraphExecUpdate` takes
// nodes of the same number for each other.
[[nodiscard]] std::string difference_of(const Captured& old, const Captured& next);

}  // namespace loci::cuda_graph
