// Gradients of activations, by activation_grad.cu.
#include <loci/plugin/dtype_visit.hpp>

#include "kernels/elementwise/dense_map.h"
#include "kernels/kernel_list.h"

extern "C" const unsigned long long loci_cuda_activation_grad[];

namespace loci::cuda {
namespace {

constexpr KernelImage kActivationGradImage{"activation_grad", loci_cuda_activation_grad};

void prepare_pairs(sdk::Prepare& prepare, std::string_view stem) {
  const loci_dtype dtype = prepare.op().output(0).dtype();
  emplace_dense_map<2>(prepare,
                       KernelFunction(prepare, kActivationGradImage, typed_name(stem, dtype)),
                       lanes_of(dtype));
}

void prepare_named(sdk::Prepare& prepare) { prepare_pairs(prepare, prepare.op().name()); }

class GeluGrad final : public sdk::Kernel {
 public:
  explicit GeluGrad(const sdk::OpDesc& op) : approximate_(op.attributes().boolean("approximate")) {}
  void prepare(sdk::Prepare& prepare) const override {
    prepare_pairs(prepare, approximate_ ? "gelu_tanh_grad" : "gelu_grad");
  }

 private:
  bool approximate_;
};

}  // namespace

void add_activation_grad(Kernels& kernels) {
  kernels.push_back(
      enqueuing("gelu_grad", sdk::kFloatBits, sdk::make_kernel<GeluGrad>, {{0, 0}, {1, 0}}));
  for (const char* op : {"relu_grad", "sigmoid_grad", "tanh_grad"}) {
    kernels.push_back(
        enqueuing(op, sdk::kFloatBits, sdk::make_kernel<prepare_named>, {{0, 0}, {1, 0}}));
  }
}

}  // namespace loci::cuda
