// elementwise_add, _sub, _mul, _div with broadcasting; relu, its gradient, scale.
#include "kernels/axes.h"
#include "kernels/function.h"
#include "kernels/kernel_list.h"

namespace opencl {
namespace {

using loci::sdk::Launch;
using loci::sdk::OpDesc;
using loci::sdk::Prepare;

struct Binary {
  void launch(const Launch& launch) const {
    function.launch(launch, count, Memory{launch.input<float>(0)}, Memory{launch.input<float>(1)},
                    Memory{launch.output<float>(0)}, count, axes);
  }
  Function function;
  std::uint64_t count;
  Axes axes;
};

std::uint64_t count_of(const Prepare& prepare) {
  return static_cast<std::uint64_t>(prepare.op().output(0).numel());
}

template <const char* const& name>
void prepare_binary(Prepare& prepare) {
  const OpDesc& op = prepare.op();
  prepare.emplace<Binary>(
      Function(prepare, kElementwiseSource, name), count_of(prepare),
      broadcast_axes(op.input(0).dims(), op.input(1).dims(), op.output(0).dims()));
}

struct Relu {
  void launch(const Launch& launch) const {
    function.launch(launch, count, Memory{launch.input<float>(0)},
                    Memory{launch.output<float>(0)}, count);
  }
  Function function;
  std::uint64_t count;
};

void prepare_relu(Prepare& prepare) {
  prepare.emplace<Relu>(Function(prepare, kElementwiseSource, "relu"), count_of(prepare));
}

struct ReluGrad {
  void launch(const Launch& launch) const {
    function.launch(launch, count, Memory{launch.input<float>(0)}, Memory{launch.input<float>(1)},
                    Memory{launch.output<float>(0)}, count);
  }
  Function function;
  std::uint64_t count;
};

void prepare_relu_grad(Prepare& prepare) {
  prepare.emplace<ReluGrad>(Function(prepare, kElementwiseSource, "relu_grad"), count_of(prepare));
}

struct Scaled {
  void launch(const Launch& launch) const {
    function.launch(launch, count, Memory{launch.input<float>(0)},
                    Memory{launch.output<float>(0)}, count, factor, bias);
  }
  Function function;
  std::uint64_t count;
  float factor;
  float bias;
};

class Scale final : public loci::sdk::Kernel {
 public:
  explicit Scale(const OpDesc& op)
      : factor_(static_cast<float>(op.attributes().real("scale"))),
        bias_(static_cast<float>(op.attributes().real("bias"))) {}
  void prepare(Prepare& prepare) const override {
    prepare.emplace<Scaled>(Function(prepare, kElementwiseSource, "scale"), count_of(prepare),
                            factor_, bias_);
  }

 private:
  float factor_;
  float bias_;
};

constexpr const char* kAdd = "elementwise_add";
constexpr const char* kSub = "elementwise_sub";
constexpr const char* kMul = "elementwise_mul";
constexpr const char* kDiv = "elementwise_div";

}  // namespace

void add_elementwise(Kernels& kernels) {
  using loci::sdk::make_kernel;
  kernels.push_back({kAdd, kName, kFloat32, make_kernel<prepare_binary<kAdd>>});
  kernels.push_back({kSub, kName, kFloat32, make_kernel<prepare_binary<kSub>>});
  kernels.push_back({kMul, kName, kFloat32, make_kernel<prepare_binary<kMul>>});
  kernels.push_back({kDiv, kName, kFloat32, make_kernel<prepare_binary<kDiv>>});
  kernels.push_back({"relu", kName, kFloat32, make_kernel<prepare_relu>, nullptr, {{0, 0}}});
  kernels.push_back(
      {"relu_grad", kName, kFloat32, make_kernel<prepare_relu_grad>, nullptr, {{0, 0}, {1, 0}}});
  kernels.push_back({"scale", kName, kFloat32, make_kernel<Scale>, nullptr, {{0, 0}}});
}

}  // namespace opencl
