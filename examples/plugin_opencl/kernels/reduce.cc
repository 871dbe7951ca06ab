// Sums and means, and what spreads their gradients.
#include "kernels/axes.h"
#include "kernels/call.h"
#include "kernels/kernel_list.h"

namespace opencl {
namespace {

using loci::sdk::Dims;
using loci::sdk::OpDesc;
using loci::sdk::Prepare;

enum class Kind { kSum, kMean };

float divisor(Kind kind, const ReduceAxes& axes) {
  return kind == Kind::kMean ? static_cast<float>(axes.count) : 1.0F;
}

void prepare_reduce(Prepare& prepare, const std::vector<bool>& reduced, Kind kind) {
  const ReduceAxes axes = reduce_axes(prepare.op().input(0).dims(), reduced);
  Call call(prepare, kReduceSource, "reduce");
  call.input(0).output(0).value(axes.count).value(divisor(kind, axes));
  call.value(axes.kept).value(axes.reduced);
  call.finish(prepare, prepare.op().output(0).numel() * static_cast<std::int64_t>(kGroup));
}

void prepare_mean(Prepare& prepare) {
  const std::vector<bool> all(prepare.op().input(0).dims().size(), true);
  prepare_reduce(prepare, all, Kind::kMean);
}

// The axes that broadcasting the shape of the second input to that of the first would repeat.
void prepare_sum_like(Prepare& prepare) {
  const Dims x = prepare.op().input(0).dims();
  const Dims like = prepare.op().input(1).dims();
  const std::size_t added = x.size() - like.size();
  std::vector<bool> reduced(x.size(), true);
  for (std::size_t i = added; i < x.size(); ++i) reduced[i] = like[i - added] != x[i];
  prepare_reduce(prepare, reduced, Kind::kSum);
}

// Repeats as a gradient does, to the shape of the second input.
void prepare_expand_like(Prepare& prepare) {
  const auto out = prepare.op().output(0);
  Call call(prepare, kReduceSource, "reduce_grad");
  call.input(0).output(0).value(out.numel()).value(1.0F);
  call.value(broadcast_axes(prepare.op().input(0).dims(), Dims(), out.dims()));
  call.finish(prepare, out.numel());
}

// All axes if the attribute names none; negative ones count from the end.
class AxesAttribute {
 public:
  explicit AxesAttribute(const OpDesc& op) : axes_(op.attributes().integers("axes")) {}
  [[nodiscard]] std::vector<bool> of(Dims dims) const {
    std::vector<bool> named(dims.size(), axes_.empty());
    for (const std::int64_t axis : axes_) {
      named[static_cast<std::size_t>(axis < 0 ? axis + static_cast<int>(dims.size()) : axis)] =
          true;
    }
    return named;
  }

 private:
  std::vector<std::int64_t> axes_;
};

template <Kind kind>
class Reduce final : public loci::sdk::Kernel {
 public:
  explicit Reduce(const OpDesc& op) : axes_(op) {}
  void prepare(Prepare& prepare) const override {
    prepare_reduce(prepare, axes_.of(prepare.op().input(0).dims()), kind);
  }

 private:
  AxesAttribute axes_;
};

// Of input 0 only the shape is there.
template <Kind kind>
class ReduceGrad final : public loci::sdk::Kernel {
 public:
  explicit ReduceGrad(const OpDesc& op) : axes_(op) {}
  void prepare(Prepare& prepare) const override {
    const auto x = prepare.op().output(0);
    const ReduceAxes axes = reduce_axes(x.dims(), axes_.of(x.dims()));
    Call call(prepare, kReduceSource, "reduce_grad");
    call.input(1).output(0).value(x.numel()).value(divisor(kind, axes)).value(axes.back);
    call.finish(prepare, x.numel());
  }

 private:
  AxesAttribute axes_;
};

}  // namespace

void add_reduce(Kernels& kernels) {
  using loci::sdk::make_kernel;
  kernels.push_back({"mean", kName, kFloat32, make_kernel<prepare_mean>});
  kernels.push_back({"reduce_sum", kName, kFloat32, make_kernel<Reduce<Kind::kSum>>});
  kernels.push_back({"reduce_mean", kName, kFloat32, make_kernel<Reduce<Kind::kMean>>});
  kernels.push_back({"reduce_sum_like", kName, kFloat32, make_kernel<prepare_sum_like>});
  kernels.push_back({"expand_like", kName, kFloat32, make_kernel<prepare_expand_like>});
  kernels.push_back({"reduce_sum_grad", kName, kFloat32, make_kernel<ReduceGrad<Kind::kSum>>});
  kernels.push_back({"reduce_mean_grad", kName, kFloat32, make_kernel<ReduceGrad<Kind::kMean>>});
}

}  // namespace opencl
