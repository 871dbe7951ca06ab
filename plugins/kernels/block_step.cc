#include "plugins/kernels/block_step.h"

#include <algorithm>
#include <array>
#include <loci/plugin/dtype_visit.hpp>
#include <string>
#include <unordered_map>
#include <utility>

#include "plugins/kernels/elementwise_functions.h"
#include "plugins/kernels/kernel_list.h"

namespace loci::kernels {
namespace {

// The kernels of the ops that a step may be, by name.
using StepKernels = std::unordered_map<std::string_view, std::vector<sdk::KernelDef>>;

const StepKernels& step_kernels() {
  static const StepKernels& all = *new StepKernels([] {
    StepKernels kernels;
    for (sdk::KernelDef& def : portable_kernels()) {
      if (sdk::find_fusable_op(def.op) != nullptr) kernels[def.op].push_back(std::move(def));
    }
    return kernels;
  }());
  return all;
}

const sdk::KernelDef& find_kernel(std::string_view op, loci_dtype dtype) {
  const auto found = step_kernels().find(op);
  if (found != step_kernels().end()) {
    for (const sdk::KernelDef& def : found->second) {
      if ((def.dtypes & LOCI_DTYPE_BIT(dtype)) != 0) return def;
    }
  }
  throw sdk::Error(LOCI_CODE_UNSUPPORTED, "no kernel of the step " + std::string(op));
}

// The description of a step, in which each operand has a slot of its own.
class StepDesc {
 public:
  StepDesc(const sdk::FusedStep& step, const std::vector<BlockOperand>& operands,
           std::int64_t count)
      : attributes_(sdk::attributes_of(step)), count_(count) {
    for (const BlockOperand& operand : operands) {
      inputs_.push_back(argument(operand.dtype, operand.is_single ? &kOne : &count_));
    }
    output_ = argument(step.dtype, &count_);
    for (std::uint32_t i = 0; i <= operands.size(); ++i) slots_.push_back(i);
    desc_.struct_size = sizeof desc_;
    desc_.version = 1;
    desc_.op = sdk::to_abi(step.op->name);
    desc_.attrs = attributes_.data();
    desc_.attr_count = attributes_.size();
    desc_.inputs = inputs_.data();
    desc_.outputs = &output_;
    desc_.input_slots = slots_.data();
    desc_.output_slots = kOneSlot.data();
    desc_.input_slot_count = static_cast<std::uint32_t>(operands.size());
    desc_.output_slot_count = 1;
  }
  StepDesc(const StepDesc&) = delete;
  StepDesc& operator=(const StepDesc&) = delete;

  [[nodiscard]] const loci_op_desc& get() const { return desc_; }

 private:
  static loci_arg argument(loci_dtype dtype, const std::int64_t* dims) {
    loci_arg arg{};
    arg.dims = dims;
    arg.dtype = dtype;
    arg.rank = 1;
    arg.layout = LOCI_LAYOUT_PLAIN;
    arg.residence = LOCI_RESIDENCE_DEVICE;
    return arg;
  }

  static constexpr std::int64_t kOne = 1;
  static constexpr std::array<std::uint32_t, 2> kOneSlot = {0, 1};
  std::vector<loci_attr> attributes_;
  std::int64_t count_;
  std::vector<loci_arg> inputs_;
  loci_arg output_{};
  std::vector<std::uint32_t> slots_;
  loci_op_desc desc_{};
};

// With vectors of 32 bytes, of float32.
std::int64_t picoseconds_of_op(std::string_view op) {
#define LOCI_PICOSECONDS(name, Function) \
  if (op == #name) return picoseconds<Function, float>();
  LOCI_FLOAT_FUNCTIONS(LOCI_PICOSECONDS)
#undef LOCI_PICOSECONDS
  if (op == "elementwise_pow" || op == "elementwise_mod") return 10000;
  if (op == "gelu" || op == "gelu_grad") return 2300;
  return 60;
}

}  // namespace

BlockStep::BlockStep(const sdk::FusedStep& step, std::vector<BlockOperand> operands)
    : step_(step),
      operands_(std::move(operands)),
      def_(&find_kernel(step.op->name, operands_.front().dtype)) {}

sdk::PreparedPart BlockStep::prepare(sdk::Prepare& around, std::int64_t count) const {
  const StepDesc desc(step_, operands_, count);
  const std::unique_ptr<sdk::Kernel> kernel = def_->create(sdk::OpDesc(desc.get()));
  std::array<std::uint32_t, 4> input_layouts{};
  std::uint32_t output_layout = LOCI_LAYOUT_PLAIN;
  loci_prepared_info info{};
  info.struct_size = sizeof info;
  info.input_layouts = input_layouts.data();
  info.output_layouts = &output_layout;
  sdk::Prepare prepare(around.host(), around.device(), desc.get(), info);
  sdk::PreparedPart part = prepare.part(*kernel);
  if (info.workspace_bytes != 0 || info.state_bytes != 0) {
    throw sdk::Error(LOCI_CODE_UNSUPPORTED,
                     "the kernel of the step " + std::string(step_.op->name) + " wants memory");
  }
  return part;
}

bool BlockStep::may_replace(std::uint32_t operand) const {
  return std::any_of(def_->aliases.begin(), def_->aliases.end(),
                     [&](const loci_alias& alias) { return alias.input == operand; });
}

std::int64_t BlockStep::picoseconds() const {
  const auto bytes = static_cast<std::int64_t>(
      std::max(sdk::dtype_bytes(step_.dtype), sdk::dtype_bytes(operands_.front().dtype)));
  const bool is_short = bytes == 2;  // converted
  return picoseconds_of_op(step_.op->name) * (bytes == 8 ? 3 : 1) + (is_short ? 250 : 0);
}

}  // namespace loci::kernels
