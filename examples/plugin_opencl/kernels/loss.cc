// softmax_with_cross_entropy and its gradient, of labels that are numbers of classes.
#include "kernels/call.h"
#include "kernels/kernel_list.h"

namespace opencl {
namespace {

using loci::sdk::OpDesc;
using loci::sdk::Prepare;

// Labels are int32 or int64.
struct Names {
  const char* of_int;
  const char* of_long;
};
constexpr Names kLoss = {"loss_of_int", "loss_of_long"};
constexpr Names kLossGrad = {"loss_grad_of_int", "loss_grad_of_long"};

template <bool is_grad>
class Loss final : public loci::sdk::Kernel {
 public:
  explicit Loss(const OpDesc& op) : ignored_(op.attributes().integer("ignore_index")) {}

  void prepare(Prepare& prepare) const override {
    const auto scores = prepare.op().input(0);
    const std::int64_t classes = scores.dim(scores.rank() - 1);
    const std::int64_t rows = loci::sdk::numel_of({scores.dims().data(), scores.dims().size() - 1});
    const bool is_long = prepare.op().input(1).dtype() == LOCI_DTYPE_I64;
    const Names& names = is_grad ? kLossGrad : kLoss;
    Call call(prepare, kLossSource, is_long ? names.of_long : names.of_int);
    call.input(0).input(1, is_long ? sizeof(std::int64_t) : sizeof(std::int32_t));
    if (is_grad) {
      call.input(2).output(0);
    } else {
      call.output(0).output(1);
    }
    call.value(rows).value(classes).value(ignored_).finish(prepare, rows);
  }

 private:
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
  kernels.push_back(
      {"softmax_with_cross_entropy", kName, kFloat32, make_kernel<Loss<false>>, supports_labels});
  kernels.push_back({"softmax_with_cross_entropy_grad",
                     kName,
                     kFloat32,
                     make_kernel<Loss<true>>,
                     supports_labels,
                     {{0, 0}}});
}

}  // namespace opencl
