// factor * x + bias: scale_DTYPE(x, out, count, factor, bias). Of integers with whole constants
// modulo 2^n; with others, scale_rounded_DTYPE, in float64. `out` may be `x`.
#include "kernels/device/instances.cuh"
#include "kernels/elementwise/dense_map.cuh"
#include "kernels/elementwise/scale_functions.cuh"
#include "kernels/launch/block_threads.h"

namespace loci::cuda {

#define LOCI_SCALE(dtype, T, Constant)                                                        \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                                 \
      scale_##dtype(const T* x, T* out, std::int64_t count, Constant factor, Constant bias) { \
    map_dense(Scale<Constant>{factor, bias}, out, count, x);                                  \
  }
#define LOCI_SCALE_ROUNDED(dtype, T, ...)                                                         \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                                     \
      scale_rounded_##dtype(const T* x, T* out, std::int64_t count, double factor, double bias) { \
    map_dense(ScaleRounded<T>{factor, bias}, out, count, x);                                      \
  }

LOCI_SCALE(f16, __half, float)
LOCI_SCALE(bf16, __nv_bfloat16, float)
LOCI_SCALE(f32, float, float)
LOCI_SCALE(f64, double, double)
LOCI_UNSIGNED(LOCI_SCALE, std::uint64_t)
LOCI_INTEGERS(LOCI_SCALE_ROUNDED)

}  // namespace loci::cuda
