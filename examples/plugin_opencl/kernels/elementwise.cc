// elementwise_add, _sub, _mul, _div with broadcasting; relu, its gradient, scale.
#include <loci/plugin/broadcast.hpp>

#include "kernels/axes.h"
#include "kernels/call.h"
#include "kernels/kernel_list.h"

namespace opencl {
namespace {

using loci::sdk::OpDesc;
using loci::sdk::Prepare;

template <const char* const& name>
void prepare_binary(Prepare& prepare) {
  const OpDesc& op = prepare.op();
  const std::int64_t count = op.output(0).numel();
  const auto axes =
      loci::sdk::broadcast_axes<2>({op.input(0).dims(), op.input(1).dims()}, op.output(0).dims());
  Call(prepare, kElementwiseSource, name)
      .input(0)
      .input(1)
      .output(0)
      .value(count)
      .value(Axes(axes))
      .finish(prepare, count);
}

void prepare_relu(Prepare& prepare) {
  const std::int64_t count = prepare.op().output(0).numel();
  Call(prepare, kElementwiseSource, "relu").input(0).output(0).value(count).finish(prepare, count);
}

void prepare_relu_grad(Prepare& prepare) {
  const std::int64_t count = prepare.op().output(0).numel();
  Call call(prepare, kElementwiseSource, "relu_grad");
  call.input(0).input(1).output(0).value(count).finish(prepare, count);
}

class Scale final : public loci::sdk::Kernel {
 public:
  explicit Scale(const OpDesc& op)
      : factor_(static_cast<float>(op.attributes().real("scale"))),
        bias_(static_cast<float>(op.attributes().real("bias"))) {}
  void prepare(Prepare& prepare) const override {
    const std::int64_t count = prepare.op().output(0).numel();
    Call call(prepare, kElementwiseSource, "scale");
    call.input(0).output(0).value(count).value(factor_).value(bias_).finish(prepare, count);
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
