// argmax, by argmax.cu.
#include "kernels/kernel_list.h"
#include "kernels/reduce/reduction.h"

extern "C" const unsigned long long loci_cuda_argmax[];

namespace loci::cuda {
namespace {

constexpr KernelImage kArgMaxImage{"argmax", loci_cuda_argmax};

struct ArgMax {
  void launch(const sdk::Launch& launch) const {
    reduction.launch(launch, launch.input<void>(0), launch.output<void>(0), kNoExtra,
                     launch.workspace<void>());
  }
  Reduction reduction;
};

class ArgMaxKernel final : public sdk::Kernel {
 public:
  explicit ArgMaxKernel(const sdk::OpDesc& op) : axis_(op.attributes().integer("axis")) {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::Arg x = prepare.op().input(0);
    const sdk::ReducePlan plan =
        sdk::plan_reduce(x.dims(), sdk::reduced_axes({axis_}, x.dims().size()));
    Reduction reduction(prepare, kArgMaxImage, typed_name("argmax", x.dtype()), plan, x.dtype());
    prepare.set_workspace(reduction.partial_bytes());
    prepare.emplace<ArgMax>(std::move(reduction));
  }

 private:
  std::int64_t axis_;
};

}  // namespace

void add_argmax(Kernels& kernels) {
  kernels.push_back({"argmax",
                     kName,
                     sdk::kNumberBits,
                     sdk::make_kernel<ArgMaxKernel>,
                     nullptr,
                     {},
                     LOCI_KERNEL_CAPTURABLE});
}

}  // namespace loci::cuda
