// sgd and momentum with dense gradients. The parameter and the velocity are the inputs' memory.
#include "kernels/function.h"
#include "kernels/kernel_list.h"

namespace opencl {
namespace {

using loci::sdk::Launch;
using loci::sdk::OpDesc;
using loci::sdk::Prepare;

std::uint64_t count_of(const Prepare& prepare) {
  return static_cast<std::uint64_t>(prepare.op().output(0).numel());
}

struct Sgd {
  void launch(const Launch& launch) const {
    function.launch(launch, count, Memory{launch.output<float>(0)}, Memory{launch.input<float>(1)},
                    Memory{launch.input<float>(2)}, count);
  }
  Function function;
  std::uint64_t count;
};

void prepare_sgd(Prepare& prepare) {
  prepare.emplace<Sgd>(Function(prepare, kOptimizerSource, "sgd"), count_of(prepare));
}

struct Momentum {
  void launch(const Launch& launch) const {
    function.launch(launch, count, Memory{launch.output<float>(0)},
                    Memory{launch.output<float>(1)}, Memory{launch.input<float>(1)},
                    Memory{launch.input<float>(3)}, count, mu, nesterov);
  }
  Function function;
  std::uint64_t count;
  float mu;
  cl_int nesterov;
};

class MomentumKernel final : public loci::sdk::Kernel {
 public:
  explicit MomentumKernel(const OpDesc& op)
      : mu_(static_cast<float>(op.attributes().real("mu"))),
        nesterov_(op.attributes().boolean("use_nesterov") ? 1 : 0) {}
  void prepare(Prepare& prepare) const override {
    prepare.emplace<Momentum>(Function(prepare, kOptimizerSource, "momentum"), count_of(prepare),
                              mu_, nesterov_);
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
  kernels.push_back(
      {"momentum", kName, kFloat32, make_kernel<MomentumKernel>, supports_dense<4>});
}

}  // namespace opencl
