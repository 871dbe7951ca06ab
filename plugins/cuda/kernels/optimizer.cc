// sgd, momentum and adam on dense gradients, and increment, by optimizer.cu.
#include <cmath>
#include <loci/plugin/kernel.hpp>

#include "kernels/kernel_function.h"
#include "kernels/kernel_list.h"
#include "kernels/update_arguments.h"

extern "C" const unsigned long long loci_cuda_optimizer[];

namespace loci::cuda {
namespace {

constexpr KernelImage kOptimizerImage{"optimizer", loci_cuda_optimizer};

// Where a rule's arguments are among the op's inputs; its states are outputs from 1 on.
struct SgdForm {
  static constexpr std::uint32_t kStates = 0;
  static constexpr std::uint32_t kRate = 2;
  static constexpr bool kHasStep = false;
  static void read(const sdk::AttributeReader& /*attributes*/, UpdateArguments& /*arguments*/) {}
};

struct MomentumForm {
  static constexpr std::uint32_t kStates = 1;
  static constexpr std::uint32_t kRate = 3;
  static constexpr bool kHasStep = false;
  static void read(const sdk::AttributeReader& attributes, UpdateArguments& arguments) {
    arguments.beta1 = attributes.real("mu");
    arguments.looks_ahead = attributes.boolean("use_nesterov");
  }
};

struct AdamForm {
  static constexpr std::uint32_t kStates = 2;
  static constexpr std::uint32_t kRate = 5;
  static constexpr bool kHasStep = true;
  static void read(const sdk::AttributeReader& attributes, UpdateArguments& arguments) {
    arguments.beta1 = attributes.real("beta1");
    arguments.beta2 = attributes.real("beta2");
    arguments.log_beta1 = std::log(arguments.beta1);
    arguments.log_beta2 = std::log(arguments.beta2);
    arguments.epsilon = attributes.real("epsilon");
    arguments.weight_decay = attributes.real("weight_decay");
  }
};

template <class Form>
struct DenseUpdate {
  void launch(const sdk::Launch& launch) const {
    UpdateArguments given = arguments;
    given.grad = launch.input<void>(1);
    given.param = launch.output<void>(0);
    if (Form::kStates > 0) given.first = launch.output<void>(1);
    if (Form::kStates > 1) given.second = launch.output<void>(2);
    given.rate = launch.input<float>(Form::kRate);
    if (Form::kHasStep) given.step = launch.input<std::int64_t>(Form::kRate - 1);
    function.launch(launch, vectors, given);
  }
  KernelFunction function;
  std::int64_t vectors;
  UpdateArguments arguments;
};

template <class Form>
class Update final : public sdk::Kernel {
 public:
  explicit Update(const sdk::OpDesc& op) { Form::read(op.attributes(), arguments_); }

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::Arg param = prepare.op().input(0);
    UpdateArguments arguments = arguments_;
    arguments.count = param.numel();
    prepare.emplace<DenseUpdate<Form>>(
        KernelFunction(prepare, kOptimizerImage, typed_name(prepare.op().name(), param.dtype())),
        vectors_of(param.numel(), param.dtype()), arguments);
  }

  static std::string supports(const sdk::OpDesc& op) {
    if (op.input(1).dtype() != op.input(0).dtype()) return "parameter and gradient differ in dtype";
    if (op.input(Form::kRate).dtype() != LOCI_DTYPE_F32) return "the learning rate is not float32";
    if (op.has_input(Form::kRate + 1)) return "the gradient is row-sparse";
    return {};
  }

 private:
  UpdateArguments arguments_{};
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
    function.launch(launch, 1, launch.output<void>(0), step);
  }
  KernelFunction function;
  std::int64_t step;
};

class IncrementKernel final : public sdk::Kernel {
 public:
  explicit IncrementKernel(const sdk::OpDesc& op) : step_(op.attributes().integer("step")) {}
  void prepare(sdk::Prepare& prepare) const override {
    prepare.emplace<Increment>(KernelFunction(prepare, kOptimizerImage, "increment"), step_);
  }

 private:
  std::int64_t step_;
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
