// sgd and momentum with dense gradients. The parameter and the velocity are the inputs' memory.
#include "kernels/call.h"
#include "kernels/kernel_list.h"

namespace opencl {
namespace {

using loci::sdk::OpDesc;
using loci::sdk::Prepare;

void prepare_sgd(Prepare& prepare) {
  const std::int64_t count = prepare.op().output(0).numel();
  Call call(prepare, kOptimizerSource, "sgd");
  call.output(0).input(1).input(2).value(count).finish(prepare, count);
}

class Momentum final : public loci::sdk::Kernel {
 public:
  explicit Momentum(const OpDesc& op)
      : mu_(static_cast<float>(op.attributes().real("mu"))),
        nesterov_(op.attributes().boolean("use_nesterov") ? 1 : 0) {}
  void prepare(Prepare& prepare) const override {
    const std::int64_t count = prepare.op().output(0).numel();
    Call call(prepare, kOptimizerSource, "momentum");
    call.output(0).output(1).input(1).input(3);
    call.value(count).value(mu_).value(nesterov_).finish(prepare, count);
  }

 private:
  float mu_;
  cl_int nesterov_;
};

template <std::uint32_t rows>
std::string supports_dense(const OpDesc& op) {
  return op.has_input(rows) ? "no row-sparse gradients" : "";
}

}  // namespace

void add_optimizer(Kernels& kernels) {
  using loci::sdk::make_kernel;
  kernels.push_back({"sgd", kName, kFloat32, make_kernel<prepare_sgd>, supports_dense<3>});
  kernels.push_back({"momentum", kName, kFloat32, make_kernel<Momentum>, supports_dense<4>});
}

}  // namespace opencl
