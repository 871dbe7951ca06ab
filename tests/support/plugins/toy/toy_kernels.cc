#include "toy_kernels.h"

#include "toy_memory.h"

namespace loci::test {
namespace {

using sdk::Launch;
using sdk::Prepare;

const float* real_input(const Launch& launch, std::uint32_t index) {
  return static_cast<const float*>(to_real(launch.input<float>(index)));
}
float* real_output(const Launch& launch) {
  return static_cast<float*>(to_real(launch.output<float>(0)));
}

struct Relu {
  void launch(const Launch& launch) const {
    const float* x = real_input(launch, 0);
    float* out = real_output(launch);
    for (std::int64_t i = 0; i < count; ++i) out[i] = x[i] < 0 ? 0 : x[i];
  }
  std::int64_t count;
};

struct Add {
  void launch(const Launch& launch) const {
    const float* x = real_input(launch, 0);
    const float* y = real_input(launch, 1);
    float* out = real_output(launch);
    for (std::int64_t i = 0; i < count; ++i) out[i] = x[i] + y[i];
  }
  std::int64_t count;
};

struct Scale {
  void launch(const Launch& launch) const {
    const float* x = real_input(launch, 0);
    float* out = real_output(launch);
    for (std::int64_t i = 0; i < count; ++i) out[i] = factor * x[i] + bias;
  }
  std::int64_t count;
  float factor;
  float bias;
};

struct Fill {
  void launch(const Launch& launch) const {
    float* out = real_output(launch);
    for (std::int64_t i = 0; i < count; ++i) out[i] = value;
  }
  std::int64_t count;
  float value;
};

// A constant y is packed as its halves: without the packing, products are wrong.
struct Mul {
  void launch(const Launch& launch) const {
    const float* x = real_input(launch, 0);
    const float* y = real_input(launch, 1);
    float* out = real_output(launch);
    for (std::int64_t i = 0; i < count; ++i) out[i] = x[i] * y[i] * factor;
  }
  std::int64_t count;
  float factor;
};

void prepare_mul(Prepare& prepare) {
  const sdk::Arg y = prepare.op().input(1);
  const auto bytes = static_cast<std::uint64_t>(y.numel()) * sizeof(float);
  if (y.takes_any_layout()) {
    prepare.choose_input_layout(1, prepare.host().intern_layout("halves", bytes));
  }
  prepare.emplace<Mul>(prepare.op().output(0).numel(), y.takes_any_layout() ? 2.0F : 1.0F);
}

// Chooses what it must not.
void prepare_mistaken(Prepare& prepare) {
  prepare.choose_input_layout(0, 4'000'000);
  prepare.emplace<Relu>(prepare.op().output(0).numel());
}

template <class T>
void prepare_plain(Prepare& prepare) {
  prepare.emplace<T>(prepare.op().output(0).numel());
}

class ScaleKernel : public sdk::Kernel {
 public:
  explicit ScaleKernel(const sdk::OpDesc& op)
      : factor_(static_cast<float>(op.attributes().real("scale"))),
        bias_(static_cast<float>(op.attributes().real("bias"))) {}
  void prepare(Prepare& prepare) const override {
    prepare.emplace<Scale>(prepare.op().output(0).numel(), factor_, bias_);
  }

 private:
  float factor_;
  float bias_;
};

class FillKernel : public sdk::Kernel {
 public:
  explicit FillKernel(const sdk::OpDesc& op)
      : value_(static_cast<float>(op.attributes().real("value"))) {}
  void prepare(Prepare& prepare) const override {
    prepare.emplace<Fill>(prepare.op().output(0).numel(), value_);
  }

 private:
  float value_;
};

// Takes nothing, and says what it was told.
void decline_with_cost(Prepare& prepare) {
  throw sdk::Error(LOCI_CODE_UNSUPPORTED, std::to_string(prepare.op().flops()) + " flops, " +
                                              std::to_string(prepare.op().bytes()) + " bytes");
}

// Which elements there are it asks late, as libraries do.
class PairsKernel : public ScaleKernel {
 public:
  using ScaleKernel::ScaleKernel;
  void prepare(Prepare& prepare) const override {
    const std::int64_t count = prepare.op().output(0).numel();
    if (count % 2 != 0) {
      throw sdk::Error(LOCI_CODE_UNSUPPORTED, std::to_string(count) + " elements are no pairs");
    }
    ScaleKernel::prepare(prepare);
  }
};

std::string same_shapes(const sdk::OpDesc& op) {
  const bool same =
      op.input(0).numel() == op.output(0).numel() && op.input(1).numel() == op.output(0).numel();
  return same ? "" : "no broadcasting";
}

}  // namespace

void pack_halves(const sdk::RelayoutCall& call) {
  const auto* from = static_cast<const float*>(to_real(call.source.data));
  auto* to = static_cast<float*>(to_real(call.target.data));
  for (std::uint64_t i = 0; i < call.target.bytes / sizeof(float); ++i) to[i] = from[i] / 2;
}

sdk::KernelList toy_kernels() {
  constexpr std::uint64_t kFloat32 = LOCI_DTYPE_BIT(LOCI_DTYPE_F32);
  return sdk::KernelList({
      {"relu", "toy", kFloat32, sdk::make_kernel<prepare_plain<Relu>>, nullptr, {{0, 0}}},
      {"elementwise_add", "toy", kFloat32, sdk::make_kernel<prepare_plain<Add>>, same_shapes},
      {"elementwise_mul", "halves", kFloat32, sdk::make_kernel<prepare_mul>, same_shapes},
      {"sqrt", "mistaken", kFloat32, sdk::make_kernel<prepare_mistaken>},
      {"scale", "pairs", kFloat32, sdk::make_kernel<PairsKernel>, nullptr, {{0, 0}}},
      // For a version of the op that there is not.
      {.op = "exp",
       .name = "toy",
       .dtypes = kFloat32,
       .create = sdk::make_kernel<ScaleKernel>,
       .op_version = 7},
      {"scale", "toy", kFloat32, sdk::make_kernel<ScaleKernel>, nullptr, {{0, 0}}},
      {"fill_constant", "toy", kFloat32, sdk::make_kernel<FillKernel>},
      // Knows no state of three elements.
      {"dropout", "uncounted", kFloat32, sdk::make_kernel<prepare_plain<Relu>>},
      {"sigmoid", "told", kFloat32, sdk::make_kernel<decline_with_cost>},
      {.op = "floor",
       .name = "told",
       .dtypes = kFloat32,
       .create = sdk::make_kernel<decline_with_cost>,
       .flags = LOCI_KERNEL_SHAPE_AGNOSTIC},
  });
}

}  // namespace loci::test
