// The random functions, one launch each.
#include "random_kernels.h"

extern "C" __global__ void random_kernel(int which, const std::uint32_t* in, std::uint32_t* out) {
  run_random(which, in, out, blockIdx.x * blockDim.x + threadIdx.x);
}
