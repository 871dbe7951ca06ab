// softmax and log_softmax along one axis, by softmax.cu.
#include "kernels/softmax/softmax_arguments.h"

#include "kernels/kernel_list.h"
#include "kernels/launch/axis_function.h"

extern "C" const unsigned long long loci_cuda_softmax[];

namespace loci::cuda {
namespace {

constexpr KernelImage kSoftmaxImage{"softmax", loci_cuda_softmax};

struct Softmax {
  void launch(const sdk::Launch& launch) const {
    function.launch(launch, SoftmaxArguments{launch.input<void>(0), launch.output<void>(0)});
  }
  AxisFunction function;
};

// The name of the op is that of the kernel.
class SoftmaxKernel final : public sdk::Kernel {
 public:
  explicit SoftmaxKernel(const sdk::OpDesc& op) : axis_(op.attributes().integer("axis")) {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::Arg x = prepare.op().input(0);
    prepare.emplace<Softmax>(AxisFunction(
        prepare, kSoftmaxImage, typed_name(prepare.op().name(), x.dtype()),
        axis_vectors(sdk::AxisSplit(x.dims(), axis_), x.dtype(), {.whole_arrays = 1})));
  }

 private:
  std::int64_t axis_;
};

}  // namespace

void add_softmax(Kernels& kernels) {
  for (const char* op : {"softmax", "log_softmax"}) {
    kernels.push_back({op,
                       kName,
                       sdk::kFloatBits,
                       sdk::make_kernel<SoftmaxKernel>,
                       nullptr,
                       {{0, 0}},
                       LOCI_KERNEL_CAPTURABLE});
  }
}

}  // namespace loci::cuda
