// layer_norm and its gradient, by layer_norm.cu. A tensor is rows, each normalised by itself.
#include "kernels/normalization/layer_norm_arguments.h"

#include <optional>

#include "kernels/kernel_list.h"
#include "kernels/launch/axis_function.h"
#include "kernels/reduce/reduction.h"

extern "C" const unsigned long long loci_cuda_layer_norm[];

namespace loci::cuda {
namespace {

constexpr KernelImage kLayerNormImage{"layer_norm", loci_cuda_layer_norm};

struct NormRows {
  NormRows(sdk::Dims dims, std::int64_t axis)
      : rows(sdk::numel_of(dims.head(static_cast<std::size_t>(axis)))),
        width(sdk::numel_of(dims.tail(static_cast<std::size_t>(axis)))) {}
  std::int64_t rows;
  std::int64_t width;
};

// Returns the function of the op's name, for rows of input 0: it goes through so many arrays, and
// these rows share so many others.
AxisFunction layer_norm_function(const sdk::Prepare& prepare, const NormRows& shape, int arrays,
                                 int shared) {
  const loci_dtype dtype = prepare.op().input(0).dtype();
  return {prepare,
          kLayerNormImage,
          typed_name(prepare.op().name(), dtype),
          run_vectors({shape.rows, 1, shape.width, shape.width}, dtype, {kMostHeld, arrays}),
          {shared, dtype}};
}

struct LayerNorm {
  void launch(const sdk::Launch& launch) const {
    function.launch(launch,
                    LayerNormArguments{launch.input<void>(0), launch.input<void>(1),
                                       launch.input<void>(2), launch.output<void>(0),
                                       launch.output<void>(1), launch.output<void>(2), epsilon});
  }
  AxisFunction function;
  double epsilon;
};

class LayerNormKernel final : public sdk::Kernel {
 public:
  explicit LayerNormKernel(const sdk::OpDesc& op)
      : axis_(op.attributes().integer("begin_norm_axis")),
        epsilon_(op.attributes().real("epsilon")) {}
  void prepare(sdk::Prepare& prepare) const override {
    const sdk::OpDesc& op = prepare.op();
    const NormRows shape(op.input(0).dims(), axis_);
    const int shared = (op.has_input(1) ? 1 : 0) + (op.has_input(2) ? 1 : 0);
    prepare.emplace<LayerNorm>(layer_norm_function(prepare, shape, /*arrays=*/1, shared), epsilon_);
  }

 private:
  std::int64_t axis_;
  double epsilon_;
};

struct LayerNormGrad {
  void launch(const sdk::Launch& launch) const {
    const void* x = launch.input<void>(0);
    const void* mean = launch.input<void>(1);
    const void* inv_std = launch.input<void>(2);
    const void* y_grad = launch.input<void>(3);
    function.launch(launch, LayerNormGradArguments{x, mean, inv_std, y_grad, launch.input<void>(4),
                                                   launch.output<void>(0)});
    if (sums) {
      sums->launch(launch, y_grad, launch.output<void>(1),
                   LayerNormSumsArguments{x, mean, inv_std, launch.output<void>(2)},
                   launch.workspace<void>());
    }
  }
  AxisFunction function;
  std::optional<Reduction> sums;  // over rows, if there is a scale or a bias
};

class LayerNormGradKernel final : public sdk::Kernel {
 public:
  explicit LayerNormGradKernel(const sdk::OpDesc& op)
      : axis_(op.attributes().integer("begin_norm_axis")) {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::OpDesc& op = prepare.op();
    const NormRows shape(op.input(0).dims(), axis_);
    std::optional<Reduction> sums;
    if (op.has_input(4) || op.has_input(5)) {
      const std::int64_t dims[] = {shape.rows, shape.width};
      const loci_dtype dtype = op.input(0).dtype();
      sums.emplace(prepare, kLayerNormImage, typed_name("layer_norm_sums", dtype),
                   sdk::plan_reduce({dims, 2}, {true, false}), dtype);
      prepare.set_workspace(sums->partial_bytes());
    }
    prepare.emplace<LayerNormGrad>(
        layer_norm_function(prepare, shape, /*arrays=*/2, op.has_input(4) ? 1 : 0),
        std::move(sums));
  }

 private:
  std::int64_t axis_;
};

}  // namespace

void add_layer_norm(Kernels& kernels) {
  kernels.push_back({"layer_norm",
                     kName,
                     sdk::kFloatBits,
                     sdk::make_kernel<LayerNormKernel>,
                     nullptr,
                     {{0, 0}},
                     LOCI_KERNEL_CAPTURABLE});
  kernels.push_back({"layer_norm_grad",
                     kName,
                     sdk::kFloatBits,
                     sdk::make_kernel<LayerNormGradKernel>,
                     nullptr,
                     {},
                     LOCI_KERNEL_CAPTURABLE});
}

}  // namespace loci::cuda
