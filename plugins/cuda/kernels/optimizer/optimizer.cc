// sgd, momentum and adam on dense gradients, by optimizer.cu, and on row-sparse ones, by
// row_update.cu; and increment.
#include <cmath>
#include <loci/plugin/dims.hpp>
#include <loci/plugin/kernel.hpp>
#include <loci/plugin/op_options.hpp>

#include "kernels/gather/row_sort.h"
#include "kernels/kernel_list.h"
#include "kernels/launch/kernel_function.h"
#include "kernels/optimizer/row_update.h"
#include "kernels/optimizer/update_arguments.h"

extern "C" const unsigned long long loci_cuda_optimizer[];
extern "C" const unsigned long long loci_cuda_row_update[];

namespace loci::cuda {
namespace {

constexpr KernelImage kOptimizerImage{"optimizer", loci_cuda_optimizer};
constexpr KernelImage kRowUpdateImage{"row_update", loci_cuda_row_update};

// Where a rule's arguments are among the op's inputs, and row ids are behind its rate; its states
// are outputs from 1 on. Without a gradient sgd changes nothing, so that it is always lazy.
struct SgdForm {
  static constexpr const char* kRows = "rows of sgd";
  static constexpr std::uint32_t kStates = 0;
  static constexpr std::uint32_t kRate = 2;
  static constexpr bool kHasStep = false;
  static void read(const sdk::AttributeReader& /*attributes*/, UpdateArguments& /*arguments*/) {}
  static bool is_lazy(const sdk::AttributeReader& /*attributes*/) { return true; }
};

struct MomentumForm {
  static constexpr const char* kRows = "rows of momentum";
  static constexpr std::uint32_t kStates = 1;
  static constexpr std::uint32_t kRate = 3;
  static constexpr bool kHasStep = false;
  static void read(const sdk::AttributeReader& attributes, UpdateArguments& arguments) {
    const sdk::MomentumOptions options(attributes);
    arguments.beta1 = options.mu;
    arguments.looks_ahead = options.nesterov;
  }
  static bool is_lazy(const sdk::AttributeReader& attributes) {
    return sdk::MomentumOptions(attributes).lazy;
  }
};

struct AdamForm {
  static constexpr const char* kRows = "rows of adam";
  static constexpr std::uint32_t kStates = 2;
  static constexpr std::uint32_t kRate = 5;
  static constexpr bool kHasStep = true;
  static void read(const sdk::AttributeReader& attributes, UpdateArguments& arguments) {
    const sdk::AdamOptions options(attributes);
    arguments.beta1 = options.beta1;
    arguments.beta2 = options.beta2;
    arguments.log_beta1 = std::log(arguments.beta1);
    arguments.log_beta2 = std::log(arguments.beta2);
    arguments.epsilon = options.epsilon;
    arguments.weight_decay = options.weight_decay;
    arguments.counter = options.counter;
  }
  static bool is_lazy(const sdk::AttributeReader& attributes) {
    return sdk::AdamOptions(attributes).lazy;
  }
};

// The arguments with what a launch has.
template <class Form>
UpdateArguments with_data(UpdateArguments arguments, const sdk::Launch& launch) {
  arguments.grad = launch.input<void>(1);
  arguments.param = launch.output<void>(0);
  if (Form::kStates > 0) arguments.first = launch.output<void>(1);
  if (Form::kStates > 1) arguments.second = launch.output<void>(2);
  arguments.rate = launch.input<float>(Form::kRate);
  if (Form::kHasStep) {
    arguments.step = launch.input<std::int64_t>(Form::kRate - 1) + arguments.counter;
  }
  return arguments;
}

template <class Form>
struct DenseUpdate {
  void launch(const sdk::Launch& launch) const {
    function.launch(launch, vectors, with_data<Form>(arguments, launch));
  }
  KernelFunction function;
  std::int64_t vectors;
  UpdateArguments arguments;
};

template <class Form>
struct SparseUpdate {
  void launch(const sdk::Launch& launch) const {
    RowUpdate given = rows;
    given.keys =
        sort.launch(launch, launch.input<void>(Form::kRate + 1), launch.workspace<std::uint64_t>());
    const std::int64_t touched = rows.count * rows.width.value;
    function.launch(launch, rows.is_lazy ? touched : arguments.count,
                    with_data<Form>(arguments, launch), given);
  }
  RowSort sort;
  KernelFunction function;
  UpdateArguments arguments;
  RowUpdate rows;
};

template <class Form>
class Update final : public sdk::Kernel {
 public:
  explicit Update(const sdk::OpDesc& op) : is_lazy_(Form::is_lazy(op.attributes())) {
    Form::read(op.attributes(), arguments_);
  }

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::Arg param = prepare.op().input(0);
    UpdateArguments arguments = arguments_;
    arguments.count = param.numel();
    if (prepare.op().has_input(kRows)) return emplace_rows(prepare, arguments);
    prepare.emplace<DenseUpdate<Form>>(
        KernelFunction(prepare, kOptimizerImage, typed_name(prepare.op().name(), param.dtype())),
        vectors_of(param.numel(), param.dtype()), arguments);
  }

  static std::string supports(const sdk::OpDesc& op) {
    if (op.input(1).dtype() != op.input(0).dtype()) return "parameter and gradient differ in dtype";
    if (op.input(Form::kRate).dtype() != LOCI_DTYPE_F32) return "the learning rate is not float32";
    const sdk::Arg param = op.input(0);
    if (!op.has_input(kRows) || !param.has_dims() || !op.input(kRows).has_dims()) return {};
    return RowSort::refusal(param.dim(0), op.input(kRows).numel());
  }

 private:
  static constexpr std::uint32_t kRows = Form::kRate + 1;

  void emplace_rows(sdk::Prepare& prepare, const UpdateArguments& arguments) const {
    const sdk::Arg param = prepare.op().input(0);
    const sdk::Arg ids = prepare.op().input(kRows);
    const std::int64_t width = sdk::numel_of(param.dims().tail(1));
    prepare.set_workspace(RowSort::workspace_bytes(ids.numel()));
    prepare.emplace<SparseUpdate<Form>>(
        RowSort(prepare, ids.dtype(), ids.numel(), param.dim(0), RowNames::kIdsOrNone, Form::kRows),
        KernelFunction(prepare, kRowUpdateImage,
                       typed_name(std::string(prepare.op().name()) + "_rows", param.dtype())),
        arguments, RowUpdate{nullptr, ids.numel(), fast_divmod_of(width), is_lazy_});
  }

  UpdateArguments arguments_{};
  bool is_lazy_;
};

template <class Form>
void add_update(Kernels& kernels, std::string_view op) {
  kernels.push_back({op,
                     kName,
                     sdk::kFloatBits,
                     sdk::make_kernel<Update<Form>>,
                     &Update<Form>::supports,
                     {},
                     LOCI_KERNEL_CAPTURABLE});
}

// out is the memory of x.
struct Increment {
  void launch(const sdk::Launch& launch) const {
    function.launch(launch, count, launch.output<std::int64_t>(0) + first, count, step);
  }
  KernelFunction function;
  std::int64_t step;
  std::int64_t first;
  std::int64_t count;
};

class IncrementKernel final : public sdk::Kernel {
 public:
  explicit IncrementKernel(const sdk::OpDesc& op) : options_(op.attributes()) {}
  void prepare(sdk::Prepare& prepare) const override {
    const std::int64_t all = prepare.op().input(0).numel();
    prepare.emplace<Increment>(KernelFunction(prepare, kOptimizerImage, "increment"), options_.step,
                               options_.first, options_.count(all));
  }

 private:
  sdk::IncrementOptions options_;
};

}  // namespace

void add_optimizer(Kernels& kernels) {
  add_update<SgdForm>(kernels, "sgd");
  add_update<MomentumForm>(kernels, "momentum");
  add_update<AdamForm>(kernels, "adam");
  kernels.push_back({"increment",
                     kName,
                     LOCI_DTYPE_BIT(LOCI_DTYPE_I64),
                     sdk::make_kernel<IncrementKernel>,
                     nullptr,
                     {},
                     LOCI_KERNEL_CAPTURABLE});
}

}  // namespace loci::cuda
