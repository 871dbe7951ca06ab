// Powers and remainders, as binary.cu has its functions.
#include "kernels/device/instances.cuh"
#include "kernels/elementwise/broadcast_map.cuh"
#include "kernels/elementwise/power_functions.cuh"
#include "kernels/launch/block_threads.h"

namespace loci::cuda {

#define LOCI_POWER(dtype, T, name, Function)                                           \
  extern "C" __global__ void __launch_bounds__(kBlockThreads) name##_##dtype(          \
      T* out, const __grid_constant__ BroadcastAxes<2> axes, const T* x, const T* y) { \
    map_broadcast(Function(), out, axes, x, y);                                        \
  }

LOCI_NUMBERS(LOCI_POWER, elementwise_pow, Pow)
LOCI_NUMBERS(LOCI_POWER, elementwise_mod, Mod)

}  // namespace loci::cuda
