// The kernels' table, each launch of which can be told apart in a profile, and in a graph.
#pragma once

#include <loci/abi/kernels.h>

namespace loci::cuda {

const loci_kernels_api* traced_kernels_table();

}  // namespace loci::cuda
