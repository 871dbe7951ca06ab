// where, and the gradients of elementwise_max and elementwise_min, by choice.cu.
#include <loci/plugin/dtype_visit.hpp>

#include "kernels/elementwise/broadcast_map.h"
#include "kernels/kernel_list.h"

extern "C" const unsigned long long loci_cuda_choice[];

namespace loci::cuda {
namespace {

constexpr KernelImage kChoiceImage{"choice", loci_cuda_choice};

void prepare_triples(sdk::Prepare& prepare, std::string_view stem, loci_dtype dtype,
                     const std::array<std::uint32_t, 3>& operands) {
  emplace_broadcast_map<3>(prepare, KernelFunction(prepare, kChoiceImage, typed_name(stem, dtype)),
                           lanes_of(dtype), operands);
}

void prepare_where(sdk::Prepare& prepare) {
  const std::uint64_t bytes = sdk::dtype_bytes(prepare.op().output(0).dtype());
  prepare_triples(prepare, "where", of_size(bytes), {0, 1, 2});
}

void prepare_max_grad(sdk::Prepare& prepare) {
  prepare_triples(prepare, "share_of_larger", prepare.op().output(0).dtype(), {0, 1, 2});
}

// x is less than y where y is larger than x.
void prepare_min_grad(sdk::Prepare& prepare) {
  prepare_triples(prepare, "share_of_larger", prepare.op().output(0).dtype(), {1, 0, 2});
}

}  // namespace

void add_choice(Kernels& kernels) {
  kernels.push_back(enqueuing("where", LOCI_DTYPE_BIT(LOCI_DTYPE_BOOL),
                              sdk::make_kernel<prepare_where>, {{1, 0}, {2, 0}}));
  kernels.push_back(enqueuing("elementwise_max_grad", sdk::kFloatBits,
                              sdk::make_kernel<prepare_max_grad>, {{0, 0}, {1, 0}, {2, 0}}));
  kernels.push_back(enqueuing("elementwise_min_grad", sdk::kFloatBits,
                              sdk::make_kernel<prepare_min_grad>, {{0, 0}, {1, 0}, {2, 0}}));
}

}  // namespace loci::cuda
