// Gradients of activations: NAME_DTYPE(of, out_grad, x_grad, count), where `of` is the activation's
// result or, for gelu, its operand. `x_grad` may be an operand.
#include "kernels/device/instances.cuh"
#include "kernels/elementwise/activation_grad_functions.cuh"
#include "kernels/elementwise/dense_map.cuh"
#include "kernels/launch/block_threads.h"

namespace loci::cuda {

#define LOCI_ACTIVATION_GRAD(dtype, T, name, Function)                                \
  extern "C" __global__ void __launch_bounds__(kBlockThreads)                         \
      name##_##dtype(const T* of, const T* out_grad, T* x_grad, std::int64_t count) { \
    map_dense(Function(), x_grad, count, of, out_grad);                               \
  }

LOCI_FLOATS(LOCI_ACTIVATION_GRAD, gelu_grad, GeluGrad)
LOCI_FLOATS(LOCI_ACTIVATION_GRAD, gelu_tanh_grad, GeluTanhGrad)
LOCI_FLOATS(LOCI_ACTIVATION_GRAD, relu_grad, ReluGrad)
LOCI_FLOATS(LOCI_ACTIVATION_GRAD, sigmoid_grad, SigmoidGrad)
LOCI_FLOATS(LOCI_ACTIVATION_GRAD, tanh_grad, TanhGrad)

}  // namespace loci::cuda
