#include "framework/ops/op_registry.h"

namespace loci::ops {

void register_activation_ops(OpRegistry& registry);
void register_batch_norm_ops(OpRegistry& registry);
void register_bilinear_interp_ops(OpRegistry& registry);
void register_cast_ops(OpRegistry& registry);
void register_compare_ops(OpRegistry& registry);
void register_concat_ops(OpRegistry& registry);
void register_control_flow_ops(OpRegistry& registry);
void register_conv2d_ops(OpRegistry& registry);
void register_creation_ops(OpRegistry& registry);
void register_cross_entropy_ops(OpRegistry& registry);
void register_dropout_ops(OpRegistry& registry);
void register_elementwise_binary_ops(OpRegistry& registry);
void register_elementwise_unary_ops(OpRegistry& registry);
void register_embedding_ops(OpRegistry& registry);
void register_expand_ops(OpRegistry& registry);
void register_gather_ops(OpRegistry& registry);
void register_l2_normalize_ops(OpRegistry& registry);
void register_layer_norm_ops(OpRegistry& registry);
void register_matmul_ops(OpRegistry& registry);
void register_metric_ops(OpRegistry& registry);
void register_nonzero_ops(OpRegistry& registry);
void register_optimizer_ops(OpRegistry& registry);
void register_pool2d_ops(OpRegistry& registry);
void register_random_ops(OpRegistry& registry);
void register_reduce_ops(OpRegistry& registry);
void register_reduce_fold_ops(OpRegistry& registry);
void register_reshape_ops(OpRegistry& registry);
void register_shape_ops(OpRegistry& registry);
void register_slice_ops(OpRegistry& registry);
void register_softmax_ops(OpRegistry& registry);
void register_sum_ops(OpRegistry& registry);
void register_transpose_ops(OpRegistry& registry);
void register_unary_math_ops(OpRegistry& registry);

void register_builtin_ops(OpRegistry& registry) {
  register_creation_ops(registry);
  register_random_ops(registry);
  register_elementwise_unary_ops(registry);
  register_cast_ops(registry);
  register_unary_math_ops(registry);
  register_activation_ops(registry);
  register_elementwise_binary_ops(registry);
  register_compare_ops(registry);
  register_embedding_ops(registry);
  register_matmul_ops(registry);
  register_conv2d_ops(registry);
  register_pool2d_ops(registry);
  register_bilinear_interp_ops(registry);
  register_batch_norm_ops(registry);
  register_layer_norm_ops(registry);
  register_dropout_ops(registry);
  register_reshape_ops(registry);
  register_transpose_ops(registry);
  register_shape_ops(registry);
  register_slice_ops(registry);
  register_concat_ops(registry);
  register_expand_ops(registry);
  register_gather_ops(registry);
  register_reduce_ops(registry);
  register_reduce_fold_ops(registry);
  register_softmax_ops(registry);
  register_l2_normalize_ops(registry);
  register_sum_ops(registry);
  register_cross_entropy_ops(registry);
  register_metric_ops(registry);
  register_nonzero_ops(registry);
  register_optimizer_ops(registry);
  register_control_flow_ops(registry);
}

}  // namespace loci::ops
