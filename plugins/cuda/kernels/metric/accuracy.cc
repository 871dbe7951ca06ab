// accuracy, by accuracy.cu.
#include "kernels/kernel_list.h"
#include "kernels/launch/kernel_function.h"

extern "C" const unsigned long long loci_cuda_accuracy[];

namespace loci::cuda {
namespace {

constexpr KernelImage kAccuracyImage{"accuracy", loci_cuda_accuracy};

// The workspace has a flag for each row.
struct Accuracy {
  void launch(const sdk::Launch& launch) const {
    auto* correct = launch.workspace<void>();
    find.launch(launch, rows * kThreadsOfRow, launch.input<void>(0), launch.input<void>(1),
                are_labels_int64, rows, classes, k, correct);
    total.launch(launch, 1, correct, rows, launch.output<void>(0), launch.output<void>(1),
                 launch.output<void>(2));
  }
  static constexpr std::int64_t kThreadsOfRow = 32;

  KernelFunction find;
  KernelFunction total;
  std::int64_t rows;
  std::int64_t classes;
  std::int64_t k;
  bool are_labels_int64;
};

class AccuracyKernel final : public sdk::Kernel {
 public:
  explicit AccuracyKernel(const sdk::OpDesc& op) : k_(op.attributes().integer("k")) {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::Arg x = prepare.op().input(0);
    prepare.set_workspace(static_cast<std::uint64_t>(x.dim(0)) * sizeof(std::int32_t));
    prepare.emplace<Accuracy>(
        KernelFunction(prepare, kAccuracyImage, typed_name("accuracy", x.dtype())),
        KernelFunction(prepare, kAccuracyImage, "accuracy_total"), x.dim(0), x.dim(1), k_,
        prepare.op().input(1).dtype() == LOCI_DTYPE_I64);
  }

 private:
  std::int64_t k_;
};

}  // namespace

void add_accuracy(Kernels& kernels) {
  kernels.push_back({"accuracy",
                     kName,
                     sdk::kFloatBits,
                     sdk::make_kernel<AccuracyKernel>,
                     nullptr,
                     {},
                     LOCI_KERNEL_CAPTURABLE});
}

}  // namespace loci::cuda
