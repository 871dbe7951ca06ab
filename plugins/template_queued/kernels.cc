// Kernels for float32. A launch reads its arguments, which are lent for the call, and enqueues.
#include "kernels.h"

#include "device.h"

namespace sample_plugin {
namespace {

using loci::sdk::Launch;
using loci::sdk::make_kernel;
using loci::sdk::OpDesc;
using loci::sdk::Prepare;

template <class Work>
void enqueue(const Launch& launch, Work work) {
  loci::sdk::stream_of<SampleDevice>(launch.stream())->enqueue(launch.correlation(), work);
}

// Prepared: immutable, launched from any thread. It may be gone when its work runs: work has
// copies.
struct Relu {
  void launch(const Launch& launch) const {
    const auto* x = launch.input<float>(0);
    auto* out = launch.output<float>(0);
    enqueue(launch, [x, out, count = count] {
      for (std::int64_t i = 0; i < count; ++i) out[i] = x[i] < 0 ? 0 : x[i];
    });
  }
  std::int64_t count;
};

void prepare_relu(Prepare& prepare) { prepare.emplace<Relu>(prepare.op().output(0).numel()); }

struct Scale {
  void launch(const Launch& launch) const {
    const auto* x = launch.input<float>(0);
    auto* out = launch.output<float>(0);
    enqueue(launch, [x, out, self = *this] {
      for (std::int64_t i = 0; i < self.count; ++i) out[i] = x[i] * self.factor + self.bias;
    });
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

struct Matmul {
  void launch(const Launch& launch) const {
    const auto* x = launch.input<float>(0);
    const auto* y = launch.input<float>(1);
    auto* out = launch.output<float>(0);
    enqueue(launch, [x, y, out, self = *this] { self.multiply(x, y, out); });
  }
  void multiply(const float* x, const float* y, float* out) const {
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        float sum = 0;
        for (std::int64_t p = 0; p < k; ++p) sum += x[i * k + p] * y[p * n + j];
        out[i * n + j] = sum;
      }
    }
  }
  std::int64_t m, n, k;
};

void prepare_matmul(Prepare& prepare) {
  const auto x = prepare.op().input(0);
  const auto y = prepare.op().input(1);
  prepare.emplace<Matmul>(x.dim(0), y.dim(1), y.dim(0));
}

// A refused op runs on the CPU; `loci plan` shows the reason.
std::string supports_matmul(const OpDesc& op) {
  const auto attributes = op.attributes();
  if (attributes.boolean("transpose_x") || attributes.boolean("transpose_y")) {
    return "it does not transpose";
  }
  return op.input(0).rank() == 2 && op.input(1).rank() == 2 ? "" : "it takes matrices";
}

}  // namespace

loci::sdk::KernelList make_kernels() {
  constexpr std::uint64_t kFloat32 = LOCI_DTYPE_BIT(LOCI_DTYPE_F32);
  // A launch only enqueues, and what it enqueues reads its arguments when it runs.
  constexpr std::uint32_t kRecorded = LOCI_KERNEL_CAPTURABLE;
  return loci::sdk::KernelList({
      // Operator, name of the kernel, dtypes, how it is made, when it refuses, which outputs may
      // lie in place of which inputs, and what it promises.
      {"relu", "sample", kFloat32, make_kernel<prepare_relu>, nullptr, {{0, 0}}, kRecorded},
      {"scale", "sample", kFloat32, make_kernel<ScaleKernel>, nullptr, {{0, 0}}, kRecorded},
      {"matmul", "sample", kFloat32, make_kernel<prepare_matmul>, supports_matmul, {}, kRecorded},
  });
}

}  // namespace sample_plugin
