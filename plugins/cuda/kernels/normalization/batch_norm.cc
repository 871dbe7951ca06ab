// batch_norm and its gradient, by batch_norm.cu. A tensor is [outer, channels, inner]; with inner
// == 1 channels lie side by side.
#include "kernels/normalization/batch_norm_arguments.h"

#include <loci/plugin/op_options.hpp>

#include "kernels/kernel_list.h"
#include "kernels/launch/axis_function.h"

extern "C" const unsigned long long loci_cuda_batch_norm[];

namespace loci::cuda {
namespace {

constexpr KernelImage kBatchNormImage{"batch_norm", loci_cuda_batch_norm};

AxisVectors channels_of(sdk::Dims dims, bool channels_last, loci_dtype dtype) {
  const std::size_t axis = channels_last ? dims.size() - 1 : 1;
  const std::int64_t outer = sdk::numel_of(dims.head(axis));
  const std::int64_t channels = dims[axis];
  const std::int64_t inner = sdk::numel_of(dims.tail(axis + 1));
  if (inner != 1) return run_vectors({channels, outer, inner, channels * inner}, dtype);
  const std::int64_t matrix[] = {outer, channels};
  return axis_vectors(sdk::AxisSplit({matrix, 2}, 0), dtype);
}

// The form that the attributes of both ops ask for.
struct BatchNormForm : sdk::BatchNormLayout {
  explicit BatchNormForm(const sdk::OpDesc& op) : BatchNormLayout(op.attributes()) {}

  // Returns the function of the op's name, for the channels of input 0.
  [[nodiscard]] AxisFunction function(const sdk::Prepare& prepare) const {
    const sdk::Arg x = prepare.op().input(0);
    return {prepare, kBatchNormImage, typed_name(prepare.op().name(), x.dtype()),
            channels_of(x.dims(), channels_last, x.dtype())};
  }
};

struct BatchNorm {
  void launch(const sdk::Launch& launch) const {
    function.launch(
        launch,
        BatchNormArguments{launch.input<void>(0), launch.input<void>(1), launch.input<void>(2),
                           fixed_statistics ? launch.input<void>(3) : nullptr,
                           fixed_statistics ? launch.input<void>(4) : nullptr,
                           launch.output<void>(0), launch.output<void>(1), launch.output<void>(2),
                           launch.output<void>(3), launch.output<void>(4), momentum, epsilon});
  }
  AxisFunction function;
  bool fixed_statistics;
  double momentum;
  double epsilon;
};

class BatchNormKernel final : public sdk::Kernel {
 public:
  explicit BatchNormKernel(const sdk::OpDesc& op) : form_(op), constants_(op.attributes()) {}
  void prepare(sdk::Prepare& prepare) const override {
    prepare.emplace<BatchNorm>(form_.function(prepare), form_.fixed_statistics, constants_.momentum,
                               constants_.epsilon);
  }

 private:
  BatchNormForm form_;
  sdk::BatchNormConstants constants_;
};

struct BatchNormGrad {
  void launch(const sdk::Launch& launch) const {
    function.launch(
        launch,
        BatchNormGradArguments{launch.input<void>(0), launch.input<void>(1), launch.input<void>(2),
                               launch.input<void>(3), launch.input<void>(4), launch.output<void>(0),
                               launch.output<void>(1), launch.output<void>(2), fixed_statistics});
  }
  AxisFunction function;
  bool fixed_statistics;
};

class BatchNormGradKernel final : public sdk::Kernel {
 public:
  explicit BatchNormGradKernel(const sdk::OpDesc& op) : form_(op) {}
  void prepare(sdk::Prepare& prepare) const override {
    prepare.emplace<BatchNormGrad>(form_.function(prepare), form_.fixed_statistics);
  }

 private:
  BatchNormForm form_;
};

}  // namespace

void add_batch_norm(Kernels& kernels) {
  kernels.push_back({"batch_norm",
                     kName,
                     sdk::kFloatBits,
                     sdk::make_kernel<BatchNormKernel>,
                     nullptr,
                     {{0, 0}},
                     LOCI_KERNEL_CAPTURABLE});
  kernels.push_back({"batch_norm_grad",
                     kName,
                     sdk::kFloatBits,
                     sdk::make_kernel<BatchNormGradKernel>,
                     nullptr,
                     {},
                     LOCI_KERNEL_CAPTURABLE});
}

}  // namespace loci::cuda
