// The gradient of conv2d's filter, by conv2d_filter.cu and conv2d_filter_mma.cu.
#include <optional>
#include <string>

#include "kernels/conv2d/conv2d_shape.h"
#include "kernels/conv2d/own_conv2d.h"
#include "kernels/kernel_list.h"
#include "kernels/launch/kernel_function.h"

extern "C" const unsigned long long loci_cuda_conv2d_filter[];
extern "C" const unsigned long long loci_cuda_conv2d_filter_mma[];

namespace loci::cuda {
namespace {

constexpr KernelImage kConvFilterImage{"conv2d_filter", loci_cuda_conv2d_filter};
constexpr KernelImage kConvFilterMmaImage{"conv2d_filter_mma", loci_cuda_conv2d_filter_mma};

KernelFunction tiled_sum(const sdk::Prepare& prepare, std::string_view suffix) {
  const bool takes_cores = takes_tensor_cores(prepare);
  const std::string stem =
      std::string(takes_cores ? "conv2d_filter_mma" : "conv2d_filter").append(suffix);
  return {prepare, takes_cores ? kConvFilterMmaImage : kConvFilterImage,
          typed_name(stem, prepare.op().output(0).dtype())};
}

// Patches are of no use to it.
KernelFunction sum_of(const sdk::Prepare& prepare, ConvForm form) {
  switch (form) {
    case ConvForm::kManyRows: return tiled_sum(prepare, "");
    case ConvForm::kFewRows: return tiled_sum(prepare, "_few");
    case ConvForm::kPatch:
    case ConvForm::kDirect: break;
  }
  return {prepare, kConvFilterImage,
          typed_name("conv2d_filter_direct", prepare.op().output(0).dtype())};
}

// Halves are summed in float32.
std::uint64_t sum_bytes(loci_dtype dtype) {
  return dtype == LOCI_DTYPE_F64 ? sizeof(double) : sizeof(float);
}

struct FilterGrad {
  void launch(const sdk::Launch& launch) const {
    void* out = launch.output<void>(0);
    auto* partial = launch.workspace<void>();
    sum.launch(launch, plan.threads, launch.input<void>(0), launch.input<void>(1), out, partial,
               plan.gather, plan.parts);
    if (add) add->launch(launch, plan.weights, partial, out, plan.weights, plan.parts.parts);
  }
  ConvFilterPlan plan;
  KernelFunction sum;
  std::optional<KernelFunction> add;  // of several parts
};

class FilterGradKernel final : public sdk::Kernel {
 public:
  explicit FilterGradKernel(const sdk::OpDesc& op)
      : options_(sdk::read_conv_options(op.attributes())) {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::OpDesc& op = prepare.op();
    const sdk::ConvShape shape = sdk::conv_shape(op.input(0).dims(), op.input(2).dims(), options_);
    require_counted(shape);
    const loci_dtype dtype = op.output(0).dtype();
    const ConvFilterPlan plan(shape);
    std::optional<KernelFunction> add;
    if (plan.parts.parts > 1) {
      add.emplace(prepare, kConvFilterImage, typed_name("conv2d_filter_parts", dtype));
      prepare.set_workspace(static_cast<std::uint64_t>(plan.parts.parts * plan.weights) *
                            sum_bytes(dtype));
    }
    prepare.emplace<FilterGrad>(plan, sum_of(prepare, plan.form), add);
  }

 private:
  sdk::ConvOptions options_;
};

}  // namespace

std::unique_ptr<sdk::Kernel> make_own_conv2d_grad_filter(const sdk::OpDesc& op) {
  return std::make_unique<FilterGradKernel>(op);
}

void add_conv2d_filter(Kernels& kernels) {
  kernels.push_back(
      enqueuing("conv2d_grad_filter", sdk::kFloatBits, sdk::make_kernel<FilterGradKernel>));
}

}  // namespace loci::cuda
