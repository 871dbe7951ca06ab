// Functions of each element, by unary.cu.
#include <loci/plugin/dtype_visit.hpp>

#include "kernels/dense_map.h"
#include "kernels/kernel_list.h"

extern "C" const unsigned long long loci_cuda_unary[];

namespace loci::cuda {
namespace {

constexpr KernelImage kUnaryImage{"unary", loci_cuda_unary};

void prepare_map(sdk::Prepare& prepare, std::string_view stem, loci_dtype dtype) {
  emplace_dense_map<1>(prepare, KernelFunction(prepare, kUnaryImage, typed_name(stem, dtype)),
                       lanes_of(dtype));
}

void prepare_unary(sdk::Prepare& prepare) {
  prepare_map(prepare, prepare.op().name(), prepare.op().output(0).dtype());
}

void prepare_square(sdk::Prepare& prepare) {
  prepare_map(prepare, "square", as_unsigned(prepare.op().output(0).dtype()));
}

class Gelu final : public sdk::Kernel {
 public:
  explicit Gelu(const sdk::OpDesc& op) : approximate_(op.attributes().boolean("approximate")) {}
  void prepare(sdk::Prepare& prepare) const override {
    prepare_map(prepare, approximate_ ? "gelu_tanh" : "gelu", prepare.op().output(0).dtype());
  }

 private:
  bool approximate_;
};

}  // namespace

void add_unary(Kernels& kernels) {
  for (const char* op : {"exp", "log", "erf", "sqrt", "rsqrt", "floor", "ceil", "round", "sigmoid",
                         "tanh", "hard_sigmoid", "hard_swish"}) {
    kernels.push_back(enqueuing(op, sdk::kFloatBits, sdk::make_kernel<prepare_unary>, {{0, 0}}));
  }
  for (const char* op : {"abs", "sign", "relu"}) {
    kernels.push_back(enqueuing(op, sdk::kNumberBits, sdk::make_kernel<prepare_unary>, {{0, 0}}));
  }
  kernels.push_back(
      enqueuing("square", sdk::kNumberBits, sdk::make_kernel<prepare_square>, {{0, 0}}));
  kernels.push_back(enqueuing("gelu", sdk::kFloatBits, sdk::make_kernel<Gelu>, {{0, 0}}));
}

}  // namespace loci::cuda
