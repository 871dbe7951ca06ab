// The kernels of the plugin. One function for each file that is named so, in its family's folder.
#pragma once

#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/kernel.hpp>
#include <string_view>
#include <utility>
#include <vector>

namespace loci::cuda {

using Kernels = std::vector<sdk::KernelDef>;

inline constexpr std::string_view kName = "cuda";

// A kernel that does nothing but enqueue; of `aliases`, outputs may lie in an input's memory.
inline sdk::KernelDef enqueuing(std::string_view op, std::uint64_t dtypes, sdk::CreateFn create,
                                std::vector<loci_alias> aliases = {}) {
  return {op, kName, dtypes, create, nullptr, std::move(aliases), LOCI_KERNEL_CAPTURABLE};
}

void add_accuracy(Kernels& kernels);
void add_activation_grad(Kernels& kernels);
void add_argmax(Kernels& kernels);
void add_attention(Kernels& kernels);
void add_batch_norm(Kernels& kernels);
void add_bilinear_interp(Kernels& kernels);
void add_binary(Kernels& kernels);
void add_cast(Kernels& kernels);
void add_choice(Kernels& kernels);
void add_clip(Kernels& kernels);
void add_compare(Kernels& kernels);
void add_compiled_chain(Kernels& kernels);
void add_concat(Kernels& kernels);
void add_conv2d(Kernels& kernels);
void add_conv2d_filter(Kernels& kernels);
void add_cross_entropy(Kernels& kernels);
void add_cublaslt_conv2d(Kernels& kernels);
void add_cublaslt_matmul(Kernels& kernels);
void add_cudnn_conv2d(Kernels& kernels);
void add_cumulative(Kernels& kernels);
void add_dropout(Kernels& kernels);
void add_fill(Kernels& kernels);
void add_fused_elementwise(Kernels& kernels);
void add_gather(Kernels& kernels);
void add_gather_elements(Kernels& kernels);
void add_gather_nd(Kernels& kernels);
void add_l2_normalize(Kernels& kernels);
void add_layer_norm(Kernels& kernels);
void add_matmul(Kernels& kernels);
void add_nonzero(Kernels& kernels);
void add_optimizer(Kernels& kernels);
void add_pad(Kernels& kernels);
void add_pool2d(Kernels& kernels);
void add_random(Kernels& kernels);
void add_reduce(Kernels& kernels);
void add_reduce_fold(Kernels& kernels);
void add_reshape(Kernels& kernels);
void add_scale(Kernels& kernels);
void add_shape(Kernels& kernels);
void add_slice(Kernels& kernels);
void add_softmax(Kernels& kernels);
void add_sum(Kernels& kernels);
void add_topk(Kernels& kernels);
void add_transpose(Kernels& kernels);
void add_unary(Kernels& kernels);

sdk::KernelList all_kernels();

}  // namespace loci::cuda
