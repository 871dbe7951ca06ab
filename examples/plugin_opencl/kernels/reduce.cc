// Sums and means, what spreads their gradients, and softmax.
#include "kernels/axes.h"
#include "kernels/function.h"
#include "kernels/kernel_list.h"

namespace opencl {
namespace {

using loci::sdk::Dims;
using loci::sdk::Launch;
using loci::sdk::OpDesc;
using loci::sdk::Prepare;

struct Reduce {
  void launch(const Launch& launch) const {
    function.launch(launch, outputs * kGroup, Memory{launch.input<float>(0)},
                    Memory{launch.output<float>(0)}, axes.count, divisor, axes.kept, axes.reduced);
  }
  Function function;
  std::uint64_t outputs;
  float divisor;
  ReduceAxes axes;
};

void emplace_reduce(Prepare& prepare, const std::vector<bool>& reduced, bool is_mean) {
  const ReduceAxes axes = reduce_axes(prepare.op().input(0).dims(), reduced);
  prepare.emplace<Reduce>(Function(prepare, kReduceSource, "reduce"),
                          static_cast<std::uint64_t>(prepare.op().output(0).numel()),
                          is_mean ? static_cast<float>(axes.count) : 1.0F, axes);
}

void prepare_mean(Prepare& prepare) {
  const auto rank = static_cast<std::size_t>(prepare.op().input(0).rank());
  emplace_reduce(prepare, std::vector<bool>(rank, true), true);
}

// The axes that broadcasting the shape of the second input to that of the first would repeat.
void prepare_sum_like(Prepare& prepare) {
  const Dims x = prepare.op().input(0).dims();
  const Dims like = prepare.op().input(1).dims();
  std::vector<bool> reduced(x.size(), true);
  for (std::size_t i = x.size() - like.size(); i < x.size(); ++i) {
    reduced[i] = like[i - (x.size() - like.size())] != x[i];
  }
  emplace_reduce(prepare, reduced, false);
}

// All axes if there are none in the attribute; negative ones count from the end.
class WithAxes : public loci::sdk::Kernel {
 public:
  WithAxes(const OpDesc& op, bool is_mean)
      : axes_(op.attributes().integers("axes")), is_mean_(is_mean) {}

 protected:
  [[nodiscard]] std::vector<bool> reduced(Dims dims) const {
    std::vector<bool> result(dims.size(), axes_.empty());
    for (const std::int64_t axis : axes_) {
      result[static_cast<std::size_t>(axis) + (axis < 0 ? dims.size() : 0)] = true;
    }
    return result;
  }
  [[nodiscard]] bool is_mean() const { return is_mean_; }

 private:
  std::vector<std::int64_t> axes_;
  bool is_mean_;
};

template <bool mean>
class ReduceKernel final : public WithAxes {
 public:
  explicit ReduceKernel(const OpDesc& op) : WithAxes(op, mean) {}
  void prepare(Prepare& prepare) const override {
    emplace_reduce(prepare, reduced(prepare.op().input(0).dims()), is_mean());
  }
};

// Of x only the shape is there.
struct ReduceGrad {
  void launch(const Launch& launch) const {
    function.launch(launch, count, Memory{launch.input<float>(1)},
                    Memory{launch.output<float>(0)}, count, divisor, axes);
  }
  Function function;
  std::uint64_t count;
  float divisor;
  Axes axes;
};

template <bool mean>
class ReduceGradKernel final : public WithAxes {
 public:
  explicit ReduceGradKernel(const OpDesc& op) : WithAxes(op, mean) {}
  void prepare(Prepare& prepare) const override {
    const auto x = prepare.op().output(0);
    const ReduceAxes axes = reduce_axes(x.dims(), reduced(x.dims()));
    prepare.emplace<ReduceGrad>(Function(prepare, kReduceSource, "reduce_grad"),
                                static_cast<std::uint64_t>(x.numel()),
                                is_mean() ? static_cast<float>(axes.count) : 1.0F, axes.back);
  }
};

struct Softmax {
  void launch(const Launch& launch) const {
    function.launch(launch, rows, Memory{launch.input<float>(0)}, Memory{launch.output<float>(0)},
                    rows, length, stride);
  }
  Function function;
  std::uint64_t rows;
  std::uint64_t length;
  std::uint64_t stride;
};

class SoftmaxKernel final : public loci::sdk::Kernel {
 public:
  explicit SoftmaxKernel(const OpDesc& op) : axis_(op.attributes().integer("axis")) {}
  void prepare(Prepare& prepare) const override {
    const Dims dims = prepare.op().input(0).dims();
    const std::size_t axis =
        static_cast<std::size_t>(axis_) + (axis_ < 0 ? dims.size() : std::size_t{0});
    const Dims inner(dims.data() + axis + 1, dims.size() - axis - 1);
    const std::int64_t rows =
        loci::sdk::numel_of({dims.data(), axis}) * loci::sdk::numel_of(inner);
    prepare.emplace<Softmax>(Function(prepare, kReduceSource, "softmax"),
                             static_cast<std::uint64_t>(rows),
                             static_cast<std::uint64_t>(dims[axis]),
                             static_cast<std::uint64_t>(loci::sdk::numel_of(inner)));
  }

 private:
  std::int64_t axis_;
};

}  // namespace

void add_reduce(Kernels& kernels) {
  using loci::sdk::make_kernel;
  kernels.push_back({"mean", kName, kFloat32, make_kernel<prepare_mean>});
  kernels.push_back({"reduce_sum", kName, kFloat32, make_kernel<ReduceKernel<false>>});
  kernels.push_back({"reduce_mean", kName, kFloat32, make_kernel<ReduceKernel<true>>});
  kernels.push_back({"reduce_sum_like", kName, kFloat32, make_kernel<prepare_sum_like>});
  kernels.push_back({"reduce_sum_grad", kName, kFloat32, make_kernel<ReduceGradKernel<false>>});
  kernels.push_back({"reduce_mean_grad", kName, kFloat32, make_kernel<ReduceGradKernel<true>>});
  kernels.push_back({"softmax", kName, kFloat32, make_kernel<SoftmaxKernel>, nullptr, {{0, 0}}});
}

}  // namespace opencl
