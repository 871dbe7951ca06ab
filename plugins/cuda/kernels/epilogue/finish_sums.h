// The kernels of finish_sums.cu, which apply the epilogues that libraries leave.
#pragma once

#include "module_cache.h"

extern "C" const unsigned long long loci_cuda_finish_sums[];

namespace loci::cuda {

inline constexpr KernelImage kFinishImage{"finish_sums", loci_cuda_finish_sums};

}  // namespace loci::cuda
