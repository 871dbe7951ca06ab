#include "kernels/kernel_list.h"

namespace loci::cuda {

sdk::KernelList all_kernels() {
  Kernels kernels;
  add_accuracy(kernels);
  add_activation_grad(kernels);
  add_argmax(kernels);
  add_attention(kernels);
  add_batch_norm(kernels);
  add_bilinear_interp(kernels);
  add_binary(kernels);
  add_cast(kernels);
  add_choice(kernels);
  add_clip(kernels);
  add_compare(kernels);
  add_concat(kernels);
  add_cublaslt_conv2d(kernels);  // windows of a pixel, whose planes cuDNN lays out anew
  add_cudnn_conv2d(kernels);     // before our own, which take what both leave
  add_conv2d(kernels);
  add_conv2d_filter(kernels);
  add_cross_entropy(kernels);
  add_cublaslt_matmul(kernels);  // before add_matmul(), whose kernels take what it leaves
  add_cumulative(kernels);
  add_dropout(kernels);
  add_fill(kernels);
  add_compiled_chain(kernels);  // before add_fused_elementwise(), which takes what it leaves
  add_fused_elementwise(kernels);
  add_gather(kernels);
  add_gather_elements(kernels);
  add_gather_nd(kernels);
  add_l2_normalize(kernels);
  add_layer_norm(kernels);
  add_matmul(kernels);
  add_nonzero(kernels);
  add_optimizer(kernels);
  add_pad(kernels);
  add_pool2d(kernels);
  add_random(kernels);
  add_reduce(kernels);
  add_reduce_fold(kernels);
  add_reshape(kernels);
  add_scale(kernels);
  add_shape(kernels);
  add_slice(kernels);
  add_softmax(kernels);
  add_sum(kernels);
  add_topk(kernels);
  add_transpose(kernels);
  add_unary(kernels);
  return sdk::KernelList(std::move(kernels));
}

}  // namespace loci::cuda
