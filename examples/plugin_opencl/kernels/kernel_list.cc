#include "kernels/kernel_list.h"

namespace opencl {

loci::sdk::KernelList all_kernels() {
  Kernels kernels;
  add_creation(kernels);
  add_elementwise(kernels);
  add_loss(kernels);
  add_matmul(kernels);
  add_movement(kernels);
  add_optimizer(kernels);
  add_reduce(kernels);
  add_softmax(kernels);
  return loci::sdk::KernelList(std::move(kernels));
}

}  // namespace opencl
