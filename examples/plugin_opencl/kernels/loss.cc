// softmax_with_cross_entropy and its gradient, of labels that are numbers of classes.
#include "kernels/function.h"
#include "kernels/kernel_list.h"

namespace opencl {
namespace {

using loci::sdk::Launch;
using loci::sdk::OpDesc;
using loci::sdk::Prepare;

struct Shape {
  std::uint64_t rows;
  std::uint64_t classes;
  std::uint64_t label_bytes;
  std::int64_t ignored;
};

struct Loss {
  void launch(const Launch& launch) const {
    function.launch(launch, shape.rows, Memory{launch.input<float>(0)},
                    Memory{launch.input<char>(1), shape.label_bytes},
                    Memory{launch.output<float>(0)}, Memory{launch.output<float>(1)}, shape.rows,
                    shape.classes, shape.ignored);
  }
  Function function;
  Shape shape;
};

struct LossGrad {
  void launch(const Launch& launch) const {
    function.launch(launch, shape.rows, Memory{launch.input<float>(0)},
                    Memory{launch.input<char>(1), shape.label_bytes},
                    Memory{launch.input<float>(2)}, Memory{launch.output<float>(0)}, shape.rows,
                    shape.classes, shape.ignored);
  }
  Function function;
  Shape shape;
};

template <class Prepared>
class LossKernel final : public loci::sdk::Kernel {
 public:
  explicit LossKernel(const OpDesc& op) : ignored_(op.attributes().integer("ignore_index")) {}

  void prepare(Prepare& prepare) const override {
    const auto scores = prepare.op().input(0);
    const auto classes = static_cast<std::size_t>(scores.rank() - 1);
    const bool is_long = prepare.op().input(1).dtype() == LOCI_DTYPE_I64;
    const Shape shape{
        static_cast<std::uint64_t>(loci::sdk::numel_of({scores.dims().data(), classes})),
        static_cast<std::uint64_t>(scores.dims()[classes]), is_long ? 8U : 4U, ignored_};
    prepare.emplace<Prepared>(Function(prepare, kLossSource, name(is_long)), shape);
  }

 private:
  static const char* name(bool is_long) {
    if (std::is_same_v<Prepared, Loss>) return is_long ? "loss_of_long" : "loss_of_int";
    return is_long ? "loss_grad_of_long" : "loss_grad_of_int";
  }
  std::int64_t ignored_;
};

std::string supports_labels(const OpDesc& op) {
  const loci_dtype dtype = op.input(1).dtype();
  if (op.attributes().boolean("soft_label")) return "no soft labels";
  return dtype == LOCI_DTYPE_I32 || dtype == LOCI_DTYPE_I64 ? "" : "labels are int32 or int64 only";
}

}  // namespace

void add_loss(Kernels& kernels) {
  using loci::sdk::make_kernel;
  kernels.push_back({"softmax_with_cross_entropy", kName, kFloat32,
                     make_kernel<LossKernel<Loss>>, supports_labels});
  kernels.push_back({"softmax_with_cross_entropy_grad", kName, kFloat32,
                     make_kernel<LossKernel<LossGrad>>, supports_labels, {{0, 0}}});
}

}  // namespace opencl
