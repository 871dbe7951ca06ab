// Functions of each element, by unary.cu.
#include <loci/plugin/dtype_visit.hpp>

#include "kernels/kernel_function.h"
#include "kernels/kernel_list.h"

extern "C" const unsigned long long loci_cuda_unary[];

namespace loci::cuda {
namespace {

constexpr KernelImage kUnaryImage{"unary", loci_cuda_unary};

struct Map {
  void launch(const sdk::Launch& launch) const {
    function.launch(launch, vectors, launch.input<void>(0), launch.output<void>(0), count);
  }
  KernelFunction function;
  std::int64_t count;
  std::int64_t vectors;
};

void prepare_map(sdk::Prepare& prepare, std::string_view stem) {
  const sdk::Arg out = prepare.op().output(0);
  prepare.emplace<Map>(KernelFunction(prepare, kUnaryImage, typed_name(stem, out.dtype())),
                       out.numel(), vectors_of(out.numel(), out.dtype()));
}

void prepare_unary(sdk::Prepare& prepare) { prepare_map(prepare, prepare.op().name()); }

class Gelu final : public sdk::Kernel {
 public:
  explicit Gelu(const sdk::OpDesc& op) : approximate_(op.attributes().boolean("approximate")) {}
  void prepare(sdk::Prepare& prepare) const override {
    prepare_map(prepare, approximate_ ? "gelu_tanh" : "gelu");
  }

 private:
  bool approximate_;
};

void add(Kernels& kernels, std::string_view op, std::uint64_t dtypes, sdk::CreateFn create) {
  kernels.push_back({op, kName, dtypes, create, nullptr, {{0, 0}}, LOCI_KERNEL_CAPTURABLE});
}

}  // namespace

void add_unary(Kernels& kernels) {
  for (const char* op :
       {"exp", "log", "erf", "sqrt", "rsqrt", "floor", "ceil", "round", "sigmoid", "tanh"}) {
    add(kernels, op, sdk::kFloatBits, sdk::make_kernel<prepare_unary>);
  }
  for (const char* op : {"abs", "square", "sign", "relu"}) {
    add(kernels, op, kNumbers, sdk::make_kernel<prepare_unary>);
  }
  add(kernels, "gelu", sdk::kFloatBits, sdk::make_kernel<Gelu>);
}

}  // namespace loci::cuda
