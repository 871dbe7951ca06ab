#include "plugins/cpu/onednn/kernel_list.h"

namespace loci::cpu::onednn {

KernelDefs onednn_kernels() {
  KernelDefs kernels;
  add_conv2d(kernels);
  add_matmul(kernels);
  add_pool2d(kernels);
  return kernels;
}

}  // namespace loci::cpu::onednn
