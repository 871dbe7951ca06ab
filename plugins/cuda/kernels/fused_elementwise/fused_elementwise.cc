// fused_elementwise, by fused_elementwise.cu.
#include <cmath>
#include <loci/plugin/broadcast.hpp>
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/fused_elementwise.hpp>

#include "kernels/fused_elementwise/fused_compiler.h"
#include "kernels/fused_elementwise/interpreted_chain.h"
#include "kernels/kernel_list.h"
#include "kernels/launch/kernel_function.h"

extern "C" const unsigned long long loci_cuda_fused_elementwise[];

namespace loci::cuda {
namespace {

constexpr KernelImage kFusedImage{"fused_elementwise", loci_cuda_fused_elementwise};

struct Fused {
  void launch(const sdk::Launch& launch) const {
    FusedProgram bound = program;
    for (std::uint32_t i = 0; i < inputs; ++i) bound.inputs[i] = launch.input<void>(i);
    for (std::uint32_t i = 0; i < outputs; ++i) bound.outputs[i] = launch.output<void>(i);
    function.launch(launch, bound.axes.count, bound);
  }
  KernelFunction function;
  FusedProgram program;
  std::uint32_t inputs;
  std::uint32_t outputs;
};

class FusedElementwise final : public sdk::Kernel {
 public:
  explicit FusedElementwise(const sdk::OpDesc& op) : expression_(sdk::read_fused_expression(op)) {}

  void prepare(sdk::Prepare& prepare) const override {
    const FusedProgram program = compile_fused(prepare.op(), expression_);
    prepare.set_memory(sizeof program);
    prepare.emplace<Fused>(KernelFunction(prepare, kFusedImage, "fused"), program,
                           expression_.inputs,
                           static_cast<std::uint32_t>(expression_.results.size()));
  }

 private:
  sdk::FusedExpression expression_;
};

}  // namespace

std::unique_ptr<sdk::Kernel> make_interpreted_chain(const sdk::OpDesc& op) {
  return sdk::make_kernel<FusedElementwise>(op);
}

void add_fused_elementwise(Kernels& kernels) {
  kernels.push_back(enqueuing("fused_elementwise", sdk::kAllBits, make_interpreted_chain));
}

}  // namespace loci::cuda
