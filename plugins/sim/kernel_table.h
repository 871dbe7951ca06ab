// The table "loci.kernels": the portable kernels, which know of no stream, made to queue.
#pragma once

#include <loci/abi/kernels.h>

namespace loci::sim {

const loci_kernels_api* queued_kernels_table();

}  // namespace loci::sim
