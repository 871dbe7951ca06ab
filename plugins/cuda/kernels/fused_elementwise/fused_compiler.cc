#include "kernels/fused_elementwise/fused_compiler.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <loci/plugin/broadcast.hpp>
#include <loci/plugin/dtype_visit.hpp>

#include "kernels/elementwise/long_integer.h"
#include "kernels/launch/convert.h"

namespace loci::cuda {
namespace {

struct NamedOp {
  std::string_view name;
  FusedOp op;
};

#define LOCI_NAMED_OP(op, Function) NamedOp{#op, FusedOp::k##Function},
constexpr auto kNamedOps = std::to_array<NamedOp>({
    LOCI_FLOAT_FUNCTIONS(LOCI_NAMED_OP)   //
    LOCI_NUMBER_FUNCTIONS(LOCI_NAMED_OP)  //
    {"cast", FusedOp::kCast},
    {"clip", FusedOp::kClip},
    {"clip_grad", FusedOp::kClipGrad},
    {"elementwise_add", FusedOp::kAdd},
    {"elementwise_div", FusedOp::kDiv},
    {"elementwise_max", FusedOp::kMax},
    {"elementwise_max_grad", FusedOp::kMaxGrad},
    {"elementwise_min", FusedOp::kMin},
    {"elementwise_min_grad", FusedOp::kMinGrad},
    {"elementwise_mod", FusedOp::kMod},
    {"elementwise_mul", FusedOp::kMul},
    {"elementwise_pow", FusedOp::kPow},
    {"elementwise_sub", FusedOp::kSub},
    {"equal", FusedOp::kEqual},
    {"gelu", FusedOp::kGelu},
    {"gelu_grad", FusedOp::kGeluGrad},
    {"greater_equal", FusedOp::kGreaterEqual},
    {"greater_than", FusedOp::kGreater},
    {"less_equal", FusedOp::kLessEqual},
    {"less_than", FusedOp::kLess},
    {"logical_and", FusedOp::kAnd},
    {"logical_not", FusedOp::kNot},
    {"logical_or", FusedOp::kOr},
    {"logical_xor", FusedOp::kXor},
    {"not_equal", FusedOp::kNotEqual},
    {"relu_grad", FusedOp::kReluGrad},
    {"scale", FusedOp::kScale},
    {"sigmoid_grad", FusedOp::kSigmoidGrad},
    {"tanh_grad", FusedOp::kTanhGrad},
    {"where", FusedOp::kWhere},
});
#undef LOCI_NAMED_OP

FusedOp op_named(std::string_view name) {
  for (const NamedOp& known : kNamedOps) {
    if (known.name == name) return known.op;
  }
  throw sdk::Error(LOCI_CODE_UNSUPPORTED, "no kernel of the step " + std::string(name));
}

FusedType fused_type(loci_dtype dtype) {
  switch (dtype) {
    case LOCI_DTYPE_BOOL: return FusedType::kBool;
    case LOCI_DTYPE_F16: return FusedType::kF16;
    case LOCI_DTYPE_BF16: return FusedType::kBf16;
    case LOCI_DTYPE_F32: return FusedType::kF32;
    case LOCI_DTYPE_F64: return FusedType::kF64;
    case LOCI_DTYPE_I8: return FusedType::kI8;
    case LOCI_DTYPE_I16: return FusedType::kI16;
    case LOCI_DTYPE_I32: return FusedType::kI32;
    case LOCI_DTYPE_I64: return FusedType::kI64;
    case LOCI_DTYPE_U8: return FusedType::kU8;
    case LOCI_DTYPE_U16: return FusedType::kU16;
    case LOCI_DTYPE_U32: return FusedType::kU32;
    case LOCI_DTYPE_U64: return FusedType::kU64;
    default: sdk::fail_dtype(dtype);
  }
}

template <class C>
std::uint64_t slot_bits(C value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

// A constant as the slots hold values of T.
template <class T>
std::uint64_t constant_bits(double value) {
  if constexpr (sdk::is_float<T>) {
    return slot_bits(static_cast<sdk::compute_t<T>>(value));
  } else {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  }
}

// An end of clip as elements are.
template <class T>
std::uint64_t end_bits(double value) {
  const T end = convert<T>(value);
  if constexpr (sdk::is_float<T>) {
    return slot_bits(static_cast<sdk::compute_t<T>>(end));
  } else {
    return static_cast<std::uint64_t>(end);  // with its sign
  }
}

void set_scale(FusedStep* step, loci_dtype dtype, const std::vector<double>& constants) {
  const bool is_float = (sdk::kFloatBits & LOCI_DTYPE_BIT(dtype)) != 0;
  if (!is_float && !(is_long_integer(constants[0]) && is_long_integer(constants[1]))) {
    step->op = FusedOp::kScaleRounded;
    for (std::size_t i = 0; i < 2; ++i) step->constants[i] = slot_bits(constants[i]);
    return;
  }
  sdk::visit_numbers(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::size_t i = 0; i < 2; ++i) step->constants[i] = constant_bits<T>(constants[i]);
  });
}

void set_ends(FusedStep* step, loci_dtype dtype, const std::vector<double>& constants) {
  sdk::visit_numbers(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const bool rounds = !sdk::is_float<T>;
    step->constants[0] = end_bits<T>(rounds ? std::ceil(constants[0]) : constants[0]);
    step->constants[1] = end_bits<T>(rounds ? std::floor(constants[1]) : constants[1]);
  });
}

// An op and its constants. `dtype` is that of its operands.
void set_op(FusedStep* step, const sdk::FusedStep& from, loci_dtype dtype) {
  step->op = op_named(from.op->name);
  switch (step->op) {
    case FusedOp::kScale: return set_scale(step, dtype, from.constants);
    case FusedOp::kClip:
    case FusedOp::kClipGrad: return set_ends(step, dtype, from.constants);
    case FusedOp::kGelu:
      if (from.constants[0] != 0) step->op = FusedOp::kGeluTanh;
      return;
    case FusedOp::kGeluGrad:
      if (from.constants[0] != 0) step->op = FusedOp::kGeluTanhGrad;
      return;
    default: return;
  }
}

// Which value lies in which slot. A slot is free again after the last step that reads its value.
class Slots {
 public:
  explicit Slots(const sdk::FusedExpression& expression)
      : last_read_(expression.inputs + expression.steps.size(), 0) {
    for (std::size_t i = 0; i < expression.steps.size(); ++i) {
      for (const std::uint32_t value : expression.steps[i].operands) last_read_[value] = i;
    }
    for (std::uint32_t i = 0; i < expression.inputs; ++i) put(i);
  }

  [[nodiscard]] std::uint8_t of(std::uint32_t value) const {
    return static_cast<std::uint8_t>(std::find(held_.begin(), held_.end(), value) - held_.begin());
  }

  // Takes a slot for the value that step `number` makes, once its operands are read.
  std::uint8_t take(std::uint32_t value, std::size_t number) {
    for (std::uint32_t& held : held_) {
      if (held != kFree && last_read_[held] <= number) held = kFree;
    }
    return put(value);
  }

 private:
  static constexpr std::uint32_t kFree = ~std::uint32_t{0};

  std::uint8_t put(std::uint32_t value) {
    const auto place = std::find(held_.begin(), held_.end(), kFree);
    if (place == held_.end()) {
      throw sdk::Error(LOCI_CODE_UNSUPPORTED, "more values at once than a thread has room for");
    }
    *place = value;
    return static_cast<std::uint8_t>(place - held_.begin());
  }

  std::vector<std::size_t> last_read_;  // by value
  std::vector<std::uint32_t> held_ = std::vector<std::uint32_t>(kFusedSlots, kFree);
};

Axes<kFusedInputs, kMostAxes> axes_of(const sdk::OpDesc& op, std::uint32_t inputs) {
  const sdk::Dims out = op.output(0).dims();
  std::array<sdk::Dims, kFusedInputs> dims;
  for (std::uint32_t i = 0; i < inputs; ++i) dims[i] = op.input(0, i).dims();
  for (std::size_t i = inputs; i < dims.size(); ++i) dims[i] = out;
  const auto list = sdk::broadcast_axes<kFusedInputs>(dims, out);
  Axes<kFusedInputs, kMostAxes> axes{list.count, std::max(list.rank, 1), {}};
  axes.axes[0].extent = 1;
  for (int i = 0; i < list.rank; ++i) {
    const auto from = static_cast<std::size_t>(list.rank - 1 - i);
    axes.axes[i].extent = list.extents[from];
    axes.axes[i].by_extent = fast_division_by(list.extents[from]);
    std::copy(list.strides[from].begin(), list.strides[from].end(), axes.axes[i].steps);
  }
  return axes;
}

std::int8_t output_of(const sdk::FusedExpression& expression, std::uint32_t value) {
  const auto& results = expression.results;
  const auto found = std::find(results.begin(), results.end(), value);
  return found == results.end() ? std::int8_t{-1}
                                : static_cast<std::int8_t>(found - results.begin());
}

}  // namespace

FusedProgram compile_fused(const sdk::OpDesc& op, const sdk::FusedExpression& expression) {
  if (expression.results.size() > kFusedOutputs) {
    throw sdk::Error(LOCI_CODE_UNSUPPORTED, "more outputs than a launch has room for");
  }
  FusedProgram program{};
  program.axes = axes_of(op, expression.inputs);
  program.input_count = static_cast<std::int32_t>(expression.inputs);
  program.step_count = static_cast<std::int32_t>(expression.steps.size());
  std::vector<loci_dtype> dtypes;
  for (std::uint32_t i = 0; i < expression.inputs; ++i) {
    dtypes.push_back(op.input(0, i).dtype());
    program.types[i] = fused_type(dtypes.back());
  }
  Slots slots(expression);
  for (std::size_t i = 0; i < expression.steps.size(); ++i) {
    const sdk::FusedStep& from = expression.steps[i];
    const auto value = static_cast<std::uint32_t>(dtypes.size());
    FusedStep& step = program.steps[i];
    const loci_dtype dtype = dtypes[from.operands.back()];
    set_op(&step, from, dtype);
    step.from = fused_type(dtype);
    step.to = fused_type(from.dtype);
    for (std::size_t o = 0; o < 3; ++o) {
      step.operands[o] = slots.of(from.operands[std::min(o, from.operands.size() - 1)]);
    }
    step.result = slots.take(value, i);
    step.output = output_of(expression, value);
    dtypes.push_back(from.dtype);
  }
  return program;
}

}  // namespace loci::cuda
