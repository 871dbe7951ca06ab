// reduce_max, reduce_min, reduce_prod and their gradients, by reduce_fold.cu.
#include <loci/plugin/broadcast.hpp>
#include <loci/plugin/op_options.hpp>

#include "kernels/kernel_list.h"
#include "kernels/reduce/reduction.h"

extern "C" const unsigned long long loci_cuda_reduce_fold[];

namespace loci::cuda {
namespace {

using sdk::OpDesc;
using sdk::Prepare;

constexpr KernelImage kFoldImage{"reduce_fold", loci_cuda_reduce_fold};

struct FoldOverAxes {
  void launch(const sdk::Launch& launch) const {
    reduction.launch(launch, launch.input<void>(0), launch.output<void>(0), kNoExtra,
                     launch.workspace<void>());
  }
  Reduction reduction;
};

// A kernel that reduces some axes of input 0.
class OverAxes : public sdk::Kernel {
 public:
  explicit OverAxes(const OpDesc& op) : options_(op.attributes()) {}

 protected:
  [[nodiscard]] std::vector<bool> reduced(const OpDesc& op) const {
    return options_.reduced(op.input(0).dims().size());
  }
  [[nodiscard]] sdk::ReducePlan plan(const OpDesc& op) const {
    return options_.plan(op.input(0).dims());
  }

 private:
  sdk::ReduceOptions options_;
};

class ReduceFold final : public OverAxes {
 public:
  using OverAxes::OverAxes;
  void prepare(Prepare& prepare) const override {
    const loci_dtype dtype = prepare.op().input(0).dtype();
    const std::string_view stem = prepare.op().name().substr(std::string_view("reduce_").size());
    const std::string name = typed_name(stem, stem == "prod" ? bits_of(dtype) : dtype);
    Reduction reduction(prepare, kFoldImage, name, plan(prepare.op()), dtype);
    prepare.set_workspace(reduction.partial_bytes());
    prepare.emplace<FoldOverAxes>(std::move(reduction));
  }
};

// In the workspace: for each output, of how many elements it is the extreme; then parts of that.
struct ExtremeGrad {
  void launch(const sdk::Launch& launch) const {
    const void* x = launch.input<void>(0);
    const void* out = launch.input<void>(1);
    auto* counts = launch.workspace<void>();
    counting.launch(launch, x, counts, out, launch.workspace<void>(counts_bytes));
    function.launch(launch, count, x, out, launch.input<void>(2), counts, launch.output<void>(0),
                    count, axes);
  }
  Reduction counting;
  std::uint64_t counts_bytes;
  KernelFunction function;
  std::int64_t count;
  ElementAxes axes;
};

class ReduceExtremeGrad final : public OverAxes {
 public:
  using OverAxes::OverAxes;
  void prepare(Prepare& prepare) const override {
    const OpDesc& op = prepare.op();
    const sdk::Arg x = op.input(0);
    const sdk::ReducePlan folded = plan(op);
    const sdk::DimList kept = sdk::kept_dims(x.dims(), reduced(op));
    const auto axes = sdk::broadcast_axes<1>({kept}, x.dims());
    Reduction counting(prepare, kFoldImage, typed_name("same", x.dtype()), folded, x.dtype());
    const std::uint64_t bytes = static_cast<std::uint64_t>(folded.outputs()) * sizeof(std::int64_t);
    prepare.set_workspace(bytes + counting.partial_bytes());
    prepare.emplace<ExtremeGrad>(
        std::move(counting), bytes,
        KernelFunction(prepare, kFoldImage, typed_name("extreme_grad", x.dtype())), axes.count,
        element_axes(axes));
  }
};

// Products of halves are kept in float32, in the workspace; others where the result will be.
struct ProductGrad {
  void launch(const sdk::Launch& launch) const {
    void* x_grad = launch.output<void>(0);
    void* before = in_place ? x_grad : launch.workspace<void>();
    function.launch(launch, layout.outputs * layout.width, launch.input<void>(0),
                    launch.input<void>(1), before, x_grad, layout);
  }
  KernelFunction function;
  bool in_place;
  ReduceLayout layout;
};

// A warp for each output; a thread, where outputs lie side by side.
ReduceLayout product_layout(const sdk::ReducePlan& plan) {
  ReduceLayout layout{};
  layout.outputs = plan.outputs();
  layout.count = plan.reduced_count();
  layout.width = plan.inner_is_reduced ? 32 : 1;
  layout.kept = element_axes(plan.all_kept());
  layout.reduced = element_axes(plan.all_reduced());
  return layout;
}

class ReduceProductGrad final : public OverAxes {
 public:
  using OverAxes::OverAxes;
  void prepare(Prepare& prepare) const override {
    const sdk::Arg x = prepare.op().input(0);
    const bool in_place = sdk::dtype_bytes(x.dtype()) >= sizeof(float);
    if (!in_place) prepare.set_workspace(static_cast<std::uint64_t>(x.numel()) * sizeof(float));
    prepare.emplace<ProductGrad>(
        KernelFunction(prepare, kFoldImage, typed_name("prod_grad", x.dtype())), in_place,
        product_layout(plan(prepare.op())));
  }
};

template <class K>
void add_fold(Kernels& kernels, std::string_view op, std::uint64_t dtypes) {
  kernels.push_back({op, kName, dtypes, sdk::make_kernel<K>, nullptr, {}, LOCI_KERNEL_CAPTURABLE});
}

}  // namespace

void add_reduce_fold(Kernels& kernels) {
  for (const char* op : {"reduce_max", "reduce_min", "reduce_prod"}) {
    add_fold<ReduceFold>(kernels, op, sdk::kNumberBits);
  }
  for (const char* op : {"reduce_max_grad", "reduce_min_grad"}) {
    add_fold<ReduceExtremeGrad>(kernels, op, sdk::kFloatBits);
  }
  add_fold<ReduceProductGrad>(kernels, "reduce_prod_grad", sdk::kFloatBits);
}

}  // namespace loci::cuda
