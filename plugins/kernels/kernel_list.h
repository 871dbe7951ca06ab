// Portable kernels: plain C++ for any device that works in host memory. One function per family,
// each defined in the file of that name.
#pragma once

#include <loci/plugin/kernel.hpp>
#include <string_view>
#include <vector>

namespace loci::kernels {

using KernelDefs = std::vector<sdk::KernelDef>;

inline constexpr std::string_view kPortable = "portable";

void add_activation(KernelDefs& kernels);
void add_batch_norm(KernelDefs& kernels);
void add_bilinear_interp(KernelDefs& kernels);
void add_cast(KernelDefs& kernels);
void add_compare(KernelDefs& kernels);
void add_concat(KernelDefs& kernels);
void add_conv2d(KernelDefs& kernels);
void add_creation(KernelDefs& kernels);
void add_cross_entropy(KernelDefs& kernels);
void add_dropout(KernelDefs& kernels);
void add_elementwise_binary(KernelDefs& kernels);
void add_elementwise_unary(KernelDefs& kernels);
void add_embedding(KernelDefs& kernels);
void add_expand(KernelDefs& kernels);
void add_gather(KernelDefs& kernels);
void add_l2_normalize(KernelDefs& kernels);
void add_layer_norm(KernelDefs& kernels);
void add_matmul(KernelDefs& kernels);
void add_metric(KernelDefs& kernels);
void add_nonzero(KernelDefs& kernels);
void add_optimizer(KernelDefs& kernels);
void add_pool2d(KernelDefs& kernels);
void add_random(KernelDefs& kernels);
void add_reduce(KernelDefs& kernels);
void add_reduce_fold(KernelDefs& kernels);
void add_shape(KernelDefs& kernels);
void add_slice(KernelDefs& kernels);
void add_softmax(KernelDefs& kernels);
void add_sum(KernelDefs& kernels);
void add_transpose(KernelDefs& kernels);
void add_unary_math(KernelDefs& kernels);

// Parts of families, softmax and reduce_fold, that have a file of their own.
void add_log_softmax(KernelDefs& kernels);
void add_reduce_fold_grad(KernelDefs& kernels);

// The kernels of all families. Inputs are dense; kernels use the host's parallel_for and no other
// thread.
KernelDefs portable_kernels();

}  // namespace loci::kernels
