// Decompositions of ops that plugins define.
#include <utility>
#include <vector>

#include "framework/core/abi/attributes.h"
#include "framework/ops/decompose_context.h"
#include "framework/ops/flat_values.h"
#include "framework/ops/plugin_call.h"
#include "framework/ops/plugin_op.h"
#include "framework/ops/program_builder.h"

namespace loci::ops {
namespace {

// The operator in the form of the C ABI.
class Decomposition {
 public:
  explicit Decomposition(DecomposeContext& ctx)
      : ctx_(ctx), builder_(ctx.emitter()), attributes_(ctx.attributes()) {
    add_inputs();
    add_outputs();
    abi_.struct_size = sizeof abi_;
    abi_.attrs = attributes_.data();
    abi_.attr_count = attributes_.size();
    abi_.inputs = inputs_.ids.data();
    abi_.input_slots = inputs_.slots.data();
    abi_.output_slots = outputs_.slots.data();
    abi_.input_slot_count = static_cast<std::uint32_t>(ctx.schema().inputs().size());
    abi_.output_slot_count = static_cast<std::uint32_t>(ctx.schema().outputs().size());
    abi_.outputs = outputs_.ids.data();
    abi_.builder_api = &ProgramBuilder::api();
    abi_.builder = builder_.handle();
  }
  Decomposition(const Decomposition&) = delete;
  Decomposition& operator=(const Decomposition&) = delete;

  [[nodiscard]] const loci_decomposition& abi() const { return abi_; }

  // Throws for ids that the builder never gave.
  void hand_over() {
    const std::vector<OutputSlot>& slots = ctx_.schema().outputs();
    for (std::size_t slot = 0; slot < slots.size(); ++slot) {
      const std::size_t count = ctx_.output_count(slots[slot].name);
      for (std::size_t i = 0; i < count; ++i) {
        ctx_.set_output(slots[slot].name, builder_.value(outputs_.ids[outputs_.slots[slot] + i]),
                        i);
      }
    }
  }

 private:
  void add_inputs() {
    for (const InputSlot& slot : ctx_.schema().inputs()) {
      inputs_.begin_slot();
      const std::size_t count = flat_count(slot.arity, ctx_.input_count(slot.name));
      for (std::size_t i = 0; i < count; ++i) {
        inputs_.ids.push_back(builder_.id(ctx_.input(slot.name, i)));
      }
    }
    inputs_.end();
  }
  void add_outputs() {
    for (const OutputSlot& slot : ctx_.schema().outputs()) {
      outputs_.begin_slot();
      outputs_.ids.resize(
          outputs_.ids.size() + flat_count(slot.arity, ctx_.output_count(slot.name)),
          LOCI_NO_VALUE);
    }
    outputs_.end();
  }

  DecomposeContext& ctx_;
  ProgramBuilder builder_;
  core::AbiAttributes attributes_;
  FlatValues inputs_;
  FlatValues outputs_;
  loci_decomposition abi_{};
};

void run(const PluginOp& op, DecomposeContext& ctx) {
  Decomposition decomposition(ctx);
  try {
    call_plugin_op("decompose", [&] {
      return op.functions.decompose(op.plugin->handle(), op.def, &decomposition.abi());
    });
    decomposition.hand_over();
  } catch (const Error& error) {
    throw error_of_op(
        op.name,
        Error(error.code(), fmt::format("its decomposition: {}", error.what()), error.details()));
  }
}

}  // namespace

DecomposeFn plugin_decomposition(PluginOp op) {
  return [op = std::move(op)](DecomposeContext& ctx) { run(op, ctx); };
}

}  // namespace loci::ops
