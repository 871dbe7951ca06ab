#include "plugins/kernels/kernel_list.h"

namespace loci::kernels {

KernelDefs portable_kernels() {
  KernelDefs kernels;
  add_activation(kernels);
  add_batch_norm(kernels);
  add_bilinear_interp(kernels);
  add_cast(kernels);
  add_compare(kernels);
  add_concat(kernels);
  add_conv2d(kernels);
  add_creation(kernels);
  add_cross_entropy(kernels);
  add_dropout(kernels);
  add_elementwise_binary(kernels);
  add_elementwise_unary(kernels);
  add_embedding(kernels);
  add_expand(kernels);
  add_gather(kernels);
  add_l2_normalize(kernels);
  add_layer_norm(kernels);
  add_matmul(kernels);
  add_metric(kernels);
  add_nonzero(kernels);
  add_optimizer(kernels);
  add_pool2d(kernels);
  add_random(kernels);
  add_reduce(kernels);
  add_reduce_fold(kernels);
  add_shape(kernels);
  add_slice(kernels);
  add_softmax(kernels);
  add_sum(kernels);
  add_transpose(kernels);
  add_unary_math(kernels);
  return kernels;
}

}  // namespace loci::kernels
