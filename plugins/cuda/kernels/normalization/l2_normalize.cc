// l2_normalize along one axis and its gradient, by l2_normalize.cu.
#include "kernels/normalization/l2_normalize_arguments.h"

#include "kernels/kernel_list.h"
#include "kernels/launch/axis_function.h"

extern "C" const unsigned long long loci_cuda_l2_normalize[];

namespace loci::cuda {
namespace {

constexpr KernelImage kNormalizeImage{"l2_normalize", loci_cuda_l2_normalize};

// Returns the function of the op's name, for vectors of input 0 and of so many arrays.
AxisFunction normalize_function(const sdk::Prepare& prepare, std::int64_t axis, int arrays) {
  const sdk::Arg x = prepare.op().input(0);
  return {prepare, kNormalizeImage, typed_name(prepare.op().name(), x.dtype()),
          axis_vectors(sdk::AxisSplit(x.dims(), axis), x.dtype(), {.whole_arrays = arrays})};
}

struct Normalize {
  void launch(const sdk::Launch& launch) const {
    function.launch(launch, NormalizeArguments{launch.input<void>(0), launch.output<void>(0),
                                               launch.output<void>(1), epsilon});
  }
  AxisFunction function;
  double epsilon;
};

class NormalizeKernel final : public sdk::Kernel {
 public:
  explicit NormalizeKernel(const sdk::OpDesc& op)
      : axis_(op.attributes().integer("axis")), epsilon_(op.attributes().real("epsilon")) {}
  void prepare(sdk::Prepare& prepare) const override {
    prepare.emplace<Normalize>(normalize_function(prepare, axis_, /*arrays=*/1), epsilon_);
  }

 private:
  std::int64_t axis_;
  double epsilon_;
};

struct NormalizeGrad {
  void launch(const sdk::Launch& launch) const {
    function.launch(launch, NormalizeGradArguments{launch.input<void>(0), launch.input<void>(1),
                                                   launch.input<void>(2), launch.output<void>(0)});
  }
  AxisFunction function;
};

class NormalizeGradKernel final : public sdk::Kernel {
 public:
  explicit NormalizeGradKernel(const sdk::OpDesc& op) : axis_(op.attributes().integer("axis")) {}
  void prepare(sdk::Prepare& prepare) const override {
    prepare.emplace<NormalizeGrad>(normalize_function(prepare, axis_, /*arrays=*/2));
  }

 private:
  std::int64_t axis_;
};

}  // namespace

void add_l2_normalize(Kernels& kernels) {
  kernels.push_back({"l2_normalize",
                     kName,
                     sdk::kFloatBits,
                     sdk::make_kernel<NormalizeKernel>,
                     nullptr,
                     {{0, 0}},
                     LOCI_KERNEL_CAPTURABLE});
  kernels.push_back({"l2_normalize_grad",
                     kName,
                     sdk::kFloatBits,
                     sdk::make_kernel<NormalizeGradKernel>,
                     nullptr,
                     {{0, 0}, {2, 0}},
                     LOCI_KERNEL_CAPTURABLE});
}

}  // namespace loci::cuda
