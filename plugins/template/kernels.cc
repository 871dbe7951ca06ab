// Three kernels for float32: one as short as they get, one with attributes, and one that refuses
// what it cannot do and has its constant packed.
#include "kernels.h"

namespace sample_plugin {
namespace {

using loci::sdk::Launch;
using loci::sdk::make_kernel;
using loci::sdk::OpDesc;
using loci::sdk::Prepare;

constexpr std::string_view kByColumns = "by columns";

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

// x [m, k] times y [k, n]. A constant y is read by columns, as the inner loop goes.
struct Matmul {
  void launch(const Launch& launch) const {
    const auto* x = launch.input<float>(0);
    const auto* y = launch.input<float>(1);
    auto* out = launch.output<float>(0);
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        float sum = 0;
        for (std::int64_t p = 0; p < k; ++p) sum += x[i * k + p] * y[p * y_row + j * y_column];
        out[i * n + j] = sum;
      }
    }
  }
  std::int64_t m, n, k, y_row, y_column;
};

void prepare_matmul(Prepare& prepare) {
  const auto x = prepare.op().input(0);
  const auto y = prepare.op().input(1);
  const std::int64_t k = y.dim(0);
  const std::int64_t n = y.dim(1);
  if (!y.takes_any_layout()) return prepare.emplace<Matmul>(x.dim(0), n, k, n, std::int64_t{1});
  // The host has relayout() pack it before the first launch.
  const auto bytes = static_cast<std::uint64_t>(k * n) * sizeof(float);
  prepare.choose_input_layout(1, prepare.host().intern_layout(kByColumns, bytes));
  prepare.emplace<Matmul>(x.dim(0), n, k, std::int64_t{1}, k);
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

void pack_by_columns(const loci::sdk::RelayoutCall& call) {
  const std::int64_t rows = call.source.dims[0];
  const std::int64_t columns = call.source.dims[1];
  const auto* from = static_cast<const float*>(call.source.data);
  auto* to = static_cast<float*>(call.target.data);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) to[j * rows + i] = from[i * columns + j];
  }
}

loci::sdk::KernelList make_kernels() {
  constexpr std::uint64_t kFloat32 = LOCI_DTYPE_BIT(LOCI_DTYPE_F32);
  return loci::sdk::KernelList({
      // Operator, name of the kernel, dtypes, how it is made, when it refuses, and which outputs
      // may lie in place of which inputs.
      {"relu", "sample", kFloat32, make_kernel<prepare_relu>, nullptr, {{0, 0}}},
      {"scale", "sample", kFloat32, make_kernel<ScaleKernel>, nullptr, {{0, 0}}},
      {"matmul", "sample", kFloat32, make_kernel<prepare_matmul>, supports_matmul},
  });
}

}  // namespace sample_plugin
