// Gradients of ops that plugins define.
#include <algorithm>
#include <utility>

#include "framework/core/abi/attributes.h"
#include "framework/core/raise.h"
#include "framework/ops/flat_values.h"
#include "framework/ops/grad_context.h"
#include "framework/ops/plugin_call.h"
#include "framework/ops/plugin_op.h"
#include "framework/ops/program_builder.h"

namespace loci::ops {
namespace {

std::size_t output_count(const GradContext& ctx, const OutputSlot& slot) {
  std::size_t count = 0;
  while (ctx.output(slot.name, count).defined()) ++count;
  return flat_count(slot.arity, count);
}

// The emitter of a gradient that reaches the operator: the walk visits no other operators.
Emitter& emitter_of(const GradContext& ctx) {
  for (const OutputSlot& slot : ctx.schema().outputs()) {
    const std::size_t count = output_count(ctx, slot);
    for (std::size_t i = 0; i < count; ++i) {
      const Value grad = ctx.output_grad(slot.name, i);
      if (grad.defined()) return *grad.emitter;
    }
  }
  core::raise(ErrorCode::kInternal, "[{}] no gradient reaches it, and its own is asked for",
              ctx.schema().name());
}

// The operator in the form of the C ABI.
class Gradient {
 public:
  explicit Gradient(GradContext& ctx)
      : schema_(ctx.schema()), ctx_(ctx), builder_(emitter_of(ctx)), attributes_(ctx.attributes()) {
    add_inputs();
    add_outputs();
    input_grads_.assign(inputs_.ids.size(), LOCI_NO_VALUE);
    abi_.struct_size = sizeof abi_;
    abi_.attrs = attributes_.data();
    abi_.attr_count = attributes_.size();
    abi_.inputs = inputs_.ids.data();
    abi_.outputs = outputs_.ids.data();
    abi_.output_grads = output_grads_.data();
    abi_.input_slots = inputs_.slots.data();
    abi_.output_slots = outputs_.slots.data();
    abi_.input_slot_count = static_cast<std::uint32_t>(schema_.inputs().size());
    abi_.output_slot_count = static_cast<std::uint32_t>(schema_.outputs().size());
    abi_.wanted = wanted_.data();
    abi_.input_grads = input_grads_.data();
    abi_.builder_api = &ProgramBuilder::api();
    abi_.builder = builder_.handle();
  }
  Gradient(const Gradient&) = delete;
  Gradient& operator=(const Gradient&) = delete;

  [[nodiscard]] const loci_gradient& abi() const { return abi_; }

  // The gradients that the plugin filled in, by flat input. Throws Error for an id that is none.
  [[nodiscard]] std::vector<Value> input_grads() const {
    std::vector<Value> values;
    for (const loci_value id : input_grads_) values.push_back(builder_.value(id));
    return values;
  }
  void hand_over(const std::vector<Value>& grads) {
    for (std::size_t slot = 0; slot < schema_.inputs().size(); ++slot) {
      const std::uint32_t first = inputs_.slots[slot];
      for (std::uint32_t flat = first; flat < inputs_.slots[slot + 1]; ++flat) {
        if (!grads[flat].defined()) continue;
        ctx_.set_input_grad(schema_.inputs()[slot].name, grads[flat], flat - first);
      }
    }
  }

 private:
  void add_inputs() {
    for (const InputSlot& slot : schema_.inputs()) {
      inputs_.begin_slot();
      const std::size_t count = flat_count(slot.arity, ctx_.input_count(slot.name));
      for (std::size_t i = 0; i < count; ++i) {
        const Value input = ctx_.input(slot.name, i);
        inputs_.ids.push_back(builder_.id(input));
        wanted_.push_back(input.defined() && ctx_.needs_grad(slot.name, i) ? 1 : 0);
      }
    }
    inputs_.end();
  }
  void add_outputs() {
    for (const OutputSlot& slot : schema_.outputs()) {
      outputs_.begin_slot();
      const std::size_t count = output_count(ctx_, slot);
      for (std::size_t i = 0; i < count; ++i) {
        outputs_.ids.push_back(builder_.id(ctx_.output(slot.name, i)));
        output_grads_.push_back(builder_.id(ctx_.output_grad(slot.name, i)));
      }
    }
    outputs_.end();
  }

  const OpSchema& schema_;
  GradContext& ctx_;
  ProgramBuilder builder_;
  core::AbiAttributes attributes_;
  FlatValues inputs_;
  FlatValues outputs_;
  std::vector<loci_value> output_grads_;
  std::vector<std::uint8_t> wanted_;
  std::vector<loci_value> input_grads_;
  loci_gradient abi_{};
};

void run(const PluginOp& op, GradContext& ctx) {
  Gradient gradient(ctx);
  std::vector<Value> grads;
  try {
    call_plugin_op("gradient", [&] {
      return op.functions.gradient(op.plugin->handle(), op.def, &gradient.abi());
    });
    grads = gradient.input_grads();
  } catch (const Error& error) {
    throw error_of_op(op.name, Error(error.code(), fmt::format("its gradient: {}", error.what()),
                                     error.details()));
  }
  gradient.hand_over(grads);
}

}  // namespace

GradientFn plugin_gradient(PluginOp op) {
  return [op = std::move(op)](GradContext& ctx) { run(op, ctx); };
}

}  // namespace loci::ops
