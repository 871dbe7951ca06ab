// clip_DTYPE(x, out, count, min, max) and clip_grad_DTYPE(x, out_grad, x_grad, count, min, max),
// where min and max are as elements are computed. A result may be an operand.
#include "kernels/device/instances.cuh"
#include "kernels/elementwise/clip_functions.cuh"
#include "kernels/elementwise/dense_map.cuh"
#include "kernels/launch/block_threads.h"

namespace loci::cuda {

#define LOCI_CLIP(dtype, T, ...)                                                                   \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                                      \
      clip_##dtype(const T* x, T* out, std::int64_t count, computed_t<T> min, computed_t<T> max) { \
    map_dense(Clip<computed_t<T>>{min, max}, out, count, x);                                       \
  }
#define LOCI_CLIP_GRAD(dtype, T, ...)                                                 \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                         \
      clip_grad_##dtype(const T* x, const T* out_grad, T* x_grad, std::int64_t count, \
                        computed_t<T> min, computed_t<T> max) {                       \
    map_dense(ClipGrad<computed_t<T>>{min, max}, x_grad, count, x, out_grad);         \
  }

LOCI_NUMBERS(LOCI_CLIP)
LOCI_FLOATS(LOCI_CLIP_GRAD)

}  // namespace loci::cuda
