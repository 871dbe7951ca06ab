// cross_entropy, alone and fused with softmax, with their gradients, by cross_entropy.cu.
#include "kernels/cross_entropy/cross_entropy_arguments.h"

#include <loci/plugin/op_options.hpp>
#include <string>

#include "kernels/kernel_list.h"
#include "kernels/launch/axis_function.h"

extern "C" const unsigned long long loci_cuda_cross_entropy[];

namespace loci::cuda {
namespace {

constexpr KernelImage kCrossEntropyImage{"cross_entropy", loci_cuda_cross_entropy};

// Returns the arguments as far as they are known before a launch.
CrossEntropyArguments shape_of(const sdk::OpDesc& op, std::int64_t ignore_index) {
  const sdk::Arg x = op.input(0);
  CrossEntropyArguments arguments{};
  arguments.rows = sdk::numel_of(x.dims().head(x.dims().size() - 1));
  arguments.classes = x.dims()[x.dims().size() - 1];
  arguments.ignore_index = ignore_index;
  arguments.are_labels_int64 = op.input(1).dtype() == LOCI_DTYPE_I64;
  return arguments;
}

struct CrossEntropyForm {
  bool is_fused;
  bool is_grad;
};

CrossEntropyArguments with_data(CrossEntropyArguments arguments, const sdk::Launch& launch,
                                const CrossEntropyForm& form) {
  arguments.x = launch.input<void>(0);
  arguments.label = launch.input<void>(1);
  if (form.is_grad) {
    arguments.grad = launch.input<void>(2);
    arguments.out = launch.output<void>(0);
  } else if (form.is_fused) {
    arguments.out = launch.output<void>(0);
    arguments.loss = launch.output<void>(1);
  } else {
    arguments.loss = launch.output<void>(0);
  }
  return arguments;
}

struct LossOfRows {
  void launch(const sdk::Launch& launch) const {
    function.launch(launch, with_data(arguments, launch, form));
  }
  AxisFunction function;
  CrossEntropyArguments arguments;
  CrossEntropyForm form;
};

struct LossOfLabels {
  void launch(const sdk::Launch& launch) const {
    function.launch(launch, threads, with_data(arguments, launch, form));
  }
  KernelFunction function;
  std::int64_t threads;
  CrossEntropyArguments arguments;
  CrossEntropyForm form;
};

template <bool is_fused, bool is_grad>
class CrossEntropy final : public sdk::Kernel {
 public:
  explicit CrossEntropy(const sdk::OpDesc& op) : labels_(op.attributes()) {}

  void prepare(sdk::Prepare& prepare) const override {
    const loci_dtype dtype = prepare.op().input(0).dtype();
    std::string name = is_fused ? "fused" : "plain";
    name += labels_.is_soft ? "_soft" : "_hard";
    if (is_grad) name += "_grad";
    name = typed_name(name, dtype);
    const CrossEntropyArguments arguments = shape_of(prepare.op(), labels_.ignore_index);
    constexpr CrossEntropyForm kForm{is_fused, is_grad};
    if (!is_fused && !labels_.is_soft) {
      // A thread for each row, or a warp that fills one.
      prepare.emplace<LossOfLabels>(KernelFunction(prepare, kCrossEntropyImage, name),
                                    arguments.rows * (is_grad ? 32 : 1), arguments, kForm);
      return;
    }
    RowKernels kernels;
    if (is_fused && !labels_.is_soft) kernels.whole_arrays = 1;
    AxisVectors rows =
        run_vectors({arguments.rows, 1, arguments.classes, arguments.classes}, dtype, kernels);
    const bool is_read_once = !is_fused || (is_grad && !labels_.is_soft);
    if (is_read_once && !rows.are_whole()) rows.held = kNoneHeld;
    prepare.emplace<LossOfRows>(AxisFunction(prepare, kCrossEntropyImage, name, rows), arguments,
                                kForm);
  }

 private:
  sdk::LabelOptions labels_;
};

template <bool is_fused, bool is_grad>
void add_loss(Kernels& kernels, std::string_view op) {
  std::vector<loci_alias> aliases;
  if (is_fused) aliases.push_back({0, 0});
  kernels.push_back({op, kName, sdk::kFloatBits, sdk::make_kernel<CrossEntropy<is_fused, is_grad>>,
                     nullptr, std::move(aliases), LOCI_KERNEL_CAPTURABLE});
}

}  // namespace

void add_cross_entropy(Kernels& kernels) {
  add_loss<false, false>(kernels, "cross_entropy");
  add_loss<false, true>(kernels, "cross_entropy_grad");
  add_loss<true, false>(kernels, "softmax_with_cross_entropy");
  add_loss<true, true>(kernels, "softmax_with_cross_entropy_grad");
}

}  // namespace loci::cuda
