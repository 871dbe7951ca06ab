// Costs of ops that plugins define.
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "framework/core/abi/attributes.h"
#include "framework/core/abi/error.h"
#include "framework/ops/infer_context.h"
#include "framework/ops/plugin_call.h"
#include "framework/ops/plugin_op.h"

namespace loci::ops {
namespace {

std::uint32_t abi_residence(Residence residence) {
  if (residence == Residence::kMetadata) return LOCI_RESIDENCE_METADATA;
  return residence == Residence::kHost ? LOCI_RESIDENCE_HOST : LOCI_RESIDENCE_DEVICE;
}

// The arguments of one side, flat by slot. Points into the context that it is made from.
class Arguments {
 public:
  void begin_slot() { slots_.push_back(static_cast<std::uint32_t>(args_.size())); }
  void add(const TensorType& type, Residence residence) {
    loci_arg& arg = args_.emplace_back();
    arg.dims = type.shape.data();
    arg.rank = type.shape.rank();
    arg.dtype = static_cast<loci_dtype>(type.dtype);
    arg.layout = LOCI_LAYOUT_PLAIN;
    arg.residence = abi_residence(residence);
  }
  void add_absent() { args_.emplace_back(); }

  [[nodiscard]] const loci_arg* args() const { return args_.data(); }
  [[nodiscard]] const std::uint32_t* slots() const { return slots_.data(); }

 private:
  std::vector<loci_arg> args_;
  std::vector<std::uint32_t> slots_;
};

Arguments inputs_of(const InferContext& ctx) {
  Arguments arguments;
  for (const InputSlot& slot : ctx.schema().inputs()) {
    arguments.begin_slot();
    const std::size_t count = ctx.input_count(slot.name);
    for (std::size_t i = 0; i < count; ++i) {
      arguments.add(ctx.input(slot.name, i), slot.residence);
    }
    if (count == 0 && slot.arity == Arity::kOptional) arguments.add_absent();
  }
  arguments.begin_slot();
  return arguments;
}

Arguments outputs_of(const InferContext& ctx) {
  Arguments arguments;
  for (std::size_t slot = 0; slot < ctx.bounds().size(); ++slot) {
    const OutputSlot& output = ctx.schema().outputs()[slot];
    arguments.begin_slot();
    for (const TensorType& type : ctx.bounds()[slot]) arguments.add(type, output.residence);
    if (ctx.bounds()[slot].empty() && output.arity == Arity::kOptional) arguments.add_absent();
  }
  arguments.begin_slot();
  return arguments;
}

// A number that does not fit into 63 bits becomes the largest one that does.
std::int64_t bounded(std::uint64_t number) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(std::min(number, kMost));
}

Cost cost_of(const PluginOp& op, const InferContext& ctx) {
  const OpSchema& schema = ctx.schema();
  const core::AbiAttributes attributes(ctx.attributes());
  const Arguments inputs = inputs_of(ctx);
  const Arguments outputs = outputs_of(ctx);
  loci_op_desc desc{};
  desc.struct_size = sizeof desc;
  desc.version = static_cast<std::uint32_t>(schema.version());
  desc.op = core::to_abi(op.name);
  desc.attrs = attributes.data();
  desc.attr_count = attributes.size();
  desc.inputs = inputs.args();
  desc.outputs = outputs.args();
  desc.input_slots = inputs.slots();
  desc.output_slots = outputs.slots();
  desc.input_slot_count = static_cast<std::uint32_t>(schema.inputs().size());
  desc.output_slot_count = static_cast<std::uint32_t>(schema.outputs().size());
  loci_op_cost cost{};
  try {
    call_plugin_op("cost",
                   [&] { return op.functions.cost(op.plugin->handle(), op.def, &desc, &cost); });
  } catch (const Error& error) {
    throw error_of_op(
        op.name, Error(error.code(), fmt::format("its cost: {}", error.what()), error.details()));
  }
  return {bounded(cost.flops), bounded(cost.bytes)};
}

}  // namespace

CostFn plugin_cost(PluginOp op) {
  return [op = std::move(op)](const InferContext& ctx) { return cost_of(op, ctx); };
}

}  // namespace loci::ops
