// The table "loci.kernels" for the option canaries (LOCI_CPU_CANARIES=1): each launch and each
// packing of a constant runs on memory with canaries around it, and fails where it changes them.
#pragma once

#include <loci/abi/kernels.h>

namespace loci::cpu {

const loci_kernels_api* canaried_kernels_table();

}  // namespace loci::cpu
