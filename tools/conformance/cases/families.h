// The families of conformance cases, one file each.
#pragma once

#include "tools/conformance/case.h"

namespace loci::conformance {

void add_creation_cases(Suite& suite);
void add_random_cases(Suite& suite);
void add_elementwise_binary_cases(Suite& suite);
void add_elementwise_unary_cases(Suite& suite);
void add_compare_cases(Suite& suite);
void add_unary_math_cases(Suite& suite);
void add_activation_cases(Suite& suite);
void add_cast_cases(Suite& suite);
void add_embedding_cases(Suite& suite);
void add_nonzero_cases(Suite& suite);
void add_matmul_cases(Suite& suite);
void add_conv2d_cases(Suite& suite);
void add_pool2d_cases(Suite& suite);
void add_bilinear_interp_cases(Suite& suite);
void add_batch_norm_cases(Suite& suite);
void add_layer_norm_cases(Suite& suite);
void add_dropout_cases(Suite& suite);
void add_reshape_cases(Suite& suite);
void add_shape_cases(Suite& suite);
void add_transpose_cases(Suite& suite);
void add_slice_cases(Suite& suite);
void add_concat_cases(Suite& suite);
void add_expand_cases(Suite& suite);
void add_gather_cases(Suite& suite);
void add_reduce_cases(Suite& suite);
void add_reduce_fold_cases(Suite& suite);
void add_l2_normalize_cases(Suite& suite);
void add_sum_cases(Suite& suite);
void add_softmax_cases(Suite& suite);
void add_cross_entropy_cases(Suite& suite);
void add_metric_cases(Suite& suite);
void add_optimizer_cases(Suite& suite);
void add_programs_cases(Suite& suite);

}  // namespace loci::conformance
