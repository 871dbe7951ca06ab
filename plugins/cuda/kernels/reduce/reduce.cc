// mean, reduce_sum, reduce_mean, reduce_sum_like, tile_grad, and the gradients, which repeat: by
// reduce.cu.
#include <loci/plugin/broadcast.hpp>
#include <loci/plugin/op_options.hpp>

#include "kernels/kernel_list.h"
#include "kernels/reduce/reduction.h"

extern "C" const unsigned long long loci_cuda_reduce[];

namespace loci::cuda {
namespace {

using sdk::OpDesc;
using sdk::Prepare;

constexpr KernelImage kReduceImage{"reduce", loci_cuda_reduce};

struct SumOverAxes {
  void launch(const sdk::Launch& launch) const {
    reduction.launch(launch, launch.input<void>(input), launch.output<void>(0), divisor,
                     launch.workspace<void>());
  }
  Reduction reduction;
  std::uint32_t input;
  double divisor;
};

void emplace_sum(Prepare& prepare, const sdk::ReducePlan& plan, bool is_mean,
                 std::uint32_t input = 0) {
  const loci_dtype dtype = prepare.op().output(0).dtype();
  Reduction reduction(prepare, kReduceImage, typed_name("sum", bits_of(dtype)), plan, dtype);
  prepare.set_workspace(reduction.partial_bytes());
  const std::int64_t divisor = is_mean ? plan.reduced_count() : 1;
  prepare.emplace<SumOverAxes>(std::move(reduction), input, static_cast<double>(divisor));
}

void prepare_sum(Prepare& prepare, const std::vector<bool>& reduced, bool is_mean) {
  emplace_sum(prepare, sdk::plan_reduce(prepare.op().input(0).dims(), reduced), is_mean);
}

template <bool is_mean>
class ReduceSum final : public sdk::Kernel {
 public:
  explicit ReduceSum(const OpDesc& op) : options_(op.attributes()) {}
  void prepare(Prepare& prepare) const override {
    prepare_sum(prepare, options_.reduced(prepare.op().input(0).dims().size()), is_mean);
  }

 private:
  sdk::ReduceOptions options_;
};

void prepare_mean(Prepare& prepare) {
  prepare_sum(prepare, sdk::reduced_axes({}, prepare.op().input(0).dims().size()), true);
}

void prepare_sum_like(Prepare& prepare) {
  const OpDesc& op = prepare.op();
  prepare_sum(prepare, sdk::repeated_axes(op.input(0).dims(), op.input(1).dims()), false);
}

// out_grad, input 1, is copies side by side of each dimension of x: the sum over the copies.
void prepare_tile_grad(Prepare& prepare) {
  const sdk::Arg x = prepare.op().output(0);
  const sdk::Arg out_grad = prepare.op().input(1);
  const auto added = static_cast<std::size_t>(out_grad.rank() - x.rank());
  std::vector<std::int64_t> dims;
  std::vector<bool> reduced;
  for (std::size_t i = 0; i < out_grad.dims().size(); ++i) {
    const std::int64_t extent = i < added ? 1 : x.dims()[i - added];
    dims.push_back(extent == 0 ? 1 : out_grad.dims()[i] / extent);
    dims.push_back(extent);
    reduced.insert(reduced.end(), {true, false});
  }
  emplace_sum(prepare, sdk::plan_reduce(dims, reduced), false, /*input=*/1);
}

// Input 1 repeated to the shape of the output, each element divided.
struct RepeatOverAxes {
  void launch(const sdk::Launch& launch) const {
    function.launch(launch, vectors, launch.input<void>(1), launch.output<void>(0), divisor, count,
                    axes);
  }
  KernelFunction function;
  std::int64_t vectors;
  double divisor;
  std::int64_t count;
  ElementAxes axes;
};

template <bool is_mean>
class ReduceSumGrad final : public sdk::Kernel {
 public:
  explicit ReduceSumGrad(const OpDesc& op) : options_(op.attributes()) {}

  void prepare(Prepare& prepare) const override {
    const sdk::Arg x = prepare.op().output(0);
    const std::vector<bool> reduced = options_.reduced(x.dims().size());
    const sdk::DimList kept = sdk::kept_dims(x.dims(), reduced);
    const auto axes = sdk::broadcast_axes<1>({kept}, x.dims());
    const std::int64_t count = sdk::plan_reduce(x.dims(), reduced).reduced_count();
    prepare.emplace<RepeatOverAxes>(
        KernelFunction(prepare, kReduceImage, typed_name("repeat", bits_of(x.dtype()))),
        vectors_of(axes.count, x.dtype()), static_cast<double>(is_mean ? count : 1), axes.count,
        element_axes(axes));
  }

 private:
  sdk::ReduceOptions options_;
};

void add_sum_over_axes(Kernels& kernels, std::string_view op, std::uint64_t dtypes,
                       sdk::CreateFn create) {
  kernels.push_back({op, kName, dtypes, create, nullptr, {}, LOCI_KERNEL_CAPTURABLE});
}

}  // namespace

void add_reduce(Kernels& kernels) {
  add_sum_over_axes(kernels, "mean", sdk::kFloatBits, sdk::make_kernel<prepare_mean>);
  add_sum_over_axes(kernels, "reduce_sum", sdk::kNumberBits, sdk::make_kernel<ReduceSum<false>>);
  add_sum_over_axes(kernels, "reduce_mean", sdk::kFloatBits, sdk::make_kernel<ReduceSum<true>>);
  add_sum_over_axes(kernels, "reduce_sum_like", sdk::kNumberBits,
                    sdk::make_kernel<prepare_sum_like>);
  add_sum_over_axes(kernels, "tile_grad", sdk::kNumberBits, sdk::make_kernel<prepare_tile_grad>);
  add_sum_over_axes(kernels, "reduce_sum_grad", sdk::kNumberBits,
                    sdk::make_kernel<ReduceSumGrad<false>>);
  add_sum_over_axes(kernels, "reduce_mean_grad", sdk::kFloatBits,
                    sdk::make_kernel<ReduceSumGrad<true>>);
}

}  // namespace loci::cuda
