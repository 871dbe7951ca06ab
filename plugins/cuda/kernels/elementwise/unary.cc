// Functions of each element, by unary.cu.
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/elementwise_functions.hpp>

#include "kernels/elementwise/dense_map.h"
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
  const auto add = [&](const char* op, std::uint64_t dtypes) {
    kernels.push_back(enqueuing(op, dtypes, sdk::make_kernel<prepare_unary>, {{0, 0}}));
  };
#define LOCI_ADD(op, Function) add(#op, sdk::kFloatBits);
  LOCI_FLOAT_FUNCTIONS(LOCI_ADD)
#undef LOCI_ADD
#define LOCI_ADD(op, Function) add(#op, sdk::kNumberBits);
  LOCI_NUMBER_FUNCTIONS(LOCI_ADD)
#undef LOCI_ADD
  kernels.push_back(enqueuing("gelu", sdk::kFloatBits, sdk::make_kernel<Gelu>, {{0, 0}}));
}

}  // namespace loci::cuda
