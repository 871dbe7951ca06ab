// Three kernels for float32: one as short as they get, one with attributes, one that refuses.
#include "kernels.h"

#include <algorithm>

namespace sample_plugin {
namespace {

using loci::sdk::Launch;
using loci::sdk::make_kernel;
using loci::sdk::OpDesc;
using loci::sdk::Prepare;

// Prepared: immutable, launched from any thread.
struct Relu {
  void launch(const Launch& launch) const {
    const auto* x = launch.input<float>(0);
    auto* out = launch.output<float>(0);
    for (std::int64_t i = 0; i < count; ++i) out[i] = x[i] < 0 ? 0 : x[i];
  }
  std::int64_t count;
};

void prepare_relu(Prepare& prepare) { prepare.emplace<Relu>(prepare.op().output(0).numel()); }

struct Scale {
  void launch(const Launch& launch) const {
    const auto* x = launch.input<float>(0);
    auto* out = launch.output<float>(0);
    for (std::int64_t i = 0; i < count; ++i) out[i] = x[i] * factor + bias;
  }
  std::int64_t count;
  float factor;
  float bias;
};

// Attributes are read here, once for each operator.
class ScaleKernel final : public loci::sdk::Kernel {
 public:
  explicit ScaleKernel(const OpDesc& op)
      : factor_(static_cast<float>(op.attributes().real("scale"))),
        bias_(static_cast<float>(op.attributes().real("bias"))) {}
  void prepare(Prepare& prepare) const override {
    prepare.emplace<Scale>(prepare.op().output(0).numel(), factor_, bias_);
  }

 private:
  float factor_;
  float bias_;
};

struct Add {
  void launch(const Launch& launch) const {
    const auto* x = launch.input<float>(0);
    const auto* y = launch.input<float>(1);
    auto* out = launch.output<float>(0);
    for (std::int64_t i = 0; i < count; ++i) out[i] = x[i] + y[i];
  }
  std::int64_t count;
};

void prepare_add(Prepare& prepare) { prepare.emplace<Add>(prepare.op().output(0).numel()); }

// What is refused runs on the CPU; `loci plan` shows the reason.
std::string supports_add(const OpDesc& op) {
  const auto x = op.input(0);
  const auto y = op.input(1);
  const bool same = x.has_dims() && y.has_dims() && x.rank() == y.rank() &&
                    std::equal(x.dims().begin(), x.dims().end(), y.dims().begin());
  return same ? "" : "it does not broadcast";
}

}  // namespace

loci::sdk::KernelList make_kernels() {
  constexpr std::uint64_t kFloat32 = LOCI_DTYPE_BIT(LOCI_DTYPE_F32);
  return loci::sdk::KernelList({
      // Operator, name of the kernel, dtypes, how it is made, when it refuses, and which outputs
      // may lie in place of which inputs.
      {"relu", "sample", kFloat32, make_kernel<prepare_relu>, nullptr, {{0, 0}}},
      {"scale", "sample", kFloat32, make_kernel<ScaleKernel>, nullptr, {{0, 0}}},
      {"elementwise_add", "sample", kFloat32, make_kernel<prepare_add>, supports_add, {{0, 0}}},
  });
}

}  // namespace sample_plugin
