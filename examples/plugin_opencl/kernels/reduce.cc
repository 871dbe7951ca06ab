// Sums and means, and what spreads their gradients.
#include <loci/plugin/broadcast.hpp>
#include <loci/plugin/reduction.hpp>

#include "kernels/axes.h"
#include "kernels/call.h"
#include "kernels/kernel_list.h"

namespace opencl {
namespace {

using loci::sdk::OpDesc;
using loci::sdk::Prepare;
using loci::sdk::ReducePlan;

enum class Kind { kSum, kMean };

float divisor(Kind kind, const ReducePlan& plan) {
  return kind == Kind::kMean ? static_cast<float>(plan.reduced_count()) : 1.0F;
}

void prepare_reduce(Prepare& prepare, const std::vector<bool>& reduced, Kind kind) {
  const ReducePlan plan = loci::sdk::plan_reduce(prepare.op().input(0).dims(), reduced);
  Call call(prepare, kReduceSource, "reduce");
  call.input(0).output(0).value(plan.reduced_count()).value(divisor(kind, plan));
  call.value(Axes(plan.all_kept())).value(Axes(plan.all_reduced()));
  call.finish(prepare, prepare.op().output(0).numel() * static_cast<std::int64_t>(kGroup));
}

void prepare_mean(Prepare& prepare) {
  prepare_reduce(prepare, loci::sdk::reduced_axes({}, prepare.op().input(0).dims().size()),
                 Kind::kMean);
}

void prepare_sum_like(Prepare& prepare) {
  const OpDesc& op = prepare.op();
  prepare_reduce(prepare, loci::sdk::repeated_axes(op.input(0).dims(), op.input(1).dims()),
                 Kind::kSum);
}

// Repeats as a gradient does, to the shape of the second input.
void prepare_expand_like(Prepare& prepare) {
  const auto out = prepare.op().output(0);
  Call call(prepare, kReduceSource, "reduce_grad");
  call.input(0).output(0).value(out.numel()).value(1.0F);
  call.value(Axes(loci::sdk::broadcast_axes<1>({prepare.op().input(0).dims()}, out.dims())));
  call.finish(prepare, out.numel());
}

template <Kind kind>
class Reduce final : public loci::sdk::Kernel {
 public:
  explicit Reduce(const OpDesc& op) : axes_(op.attributes().integers("axes")) {}
  void prepare(Prepare& prepare) const override {
    prepare_reduce(prepare, loci::sdk::reduced_axes(axes_, prepare.op().input(0).dims().size()),
                   kind);
  }

 private:
  std::vector<std::int64_t> axes_;
};

// Input 0 is there with its shape alone.
template <Kind kind>
class ReduceGrad final : public loci::sdk::Kernel {
 public:
  explicit ReduceGrad(const OpDesc& op) : axes_(op.attributes().integers("axes")) {}
  void prepare(Prepare& prepare) const override {
    const auto x = prepare.op().output(0);
    const auto reduced = loci::sdk::reduced_axes(axes_, x.dims().size());
    const ReducePlan plan = loci::sdk::plan_reduce(x.dims(), reduced);
    const auto back =
        loci::sdk::broadcast_axes<1>({loci::sdk::kept_dims(x.dims(), reduced)}, x.dims());
    Call call(prepare, kReduceSource, "reduce_grad");
    call.input(1).output(0).value(x.numel()).value(divisor(kind, plan)).value(Axes(back));
    call.finish(prepare, x.numel());
  }

 private:
  std::vector<std::int64_t> axes_;
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
