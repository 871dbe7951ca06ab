// Inference of ops that plugins define.
#include <deque>
#include <utility>

#include "framework/core/abi/attributes.h"
#include "framework/core/raise.h"
#include "framework/ops/infer_context.h"
#include "framework/ops/plugin_call.h"
#include "framework/ops/plugin_op.h"
#include "framework/ops/program_builder.h"

namespace loci::ops {
namespace {

// More would be a damaged index.
constexpr std::uint32_t kMostOutputs = 1U << 16;

// The function set_output of the C table writes to a sink.
class Sink {
 public:
  explicit Sink(InferContext& ctx) : ctx_(ctx) {}

  static loci_error* set_output(loci_type_sink* sink, std::uint32_t slot, std::uint32_t index,
                                const loci_type* type) noexcept {
    return to_error([&] { reinterpret_cast<Sink*>(sink)->set(slot, index, *type); });
  }
  [[nodiscard]] loci_type_sink* handle() { return reinterpret_cast<loci_type_sink*>(this); }

 private:
  void set(std::uint32_t slot, std::uint32_t index, const loci_type& type) {
    const std::vector<OutputSlot>& outputs = ctx_.schema().outputs();
    if (slot >= outputs.size()) {
      refuse("inference sets output slot {}; there are {}", slot, outputs.size());
    }
    const OutputSlot& output = outputs[slot];
    const std::uint32_t most = output.arity == Arity::kVariadic ? kMostOutputs : 1;
    if (index >= most) {
      refuse("inference sets result {} of output '{}'; it has {} at most", index, output.name,
             most);
    }
    try {
      ctx_.set_output(output.name, type_from_abi(type), index);
    } catch (const Error& error) {
      refuse("inference: output '{}' {}", output.name, error.what());
    }
  }
  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) const {
    core::raise(ErrorCode::kInternal, "{}", fmt::format(format, std::forward<Args>(args)...));
  }

  InferContext& ctx_;
};

class Inference {
 public:
  explicit Inference(InferContext& ctx) : attributes_(ctx.attributes()), sink_(ctx) {
    for (const InputSlot& slot : ctx.schema().inputs()) {
      slots_.push_back(static_cast<std::uint32_t>(inputs_.size()));
      const std::size_t count = ctx.input_count(slot.name);
      for (std::size_t i = 0; i < count; ++i) {
        inputs_.push_back(to_abi(ctx.input(slot.name, i)));
        add_value(slot.gives_extents ? ctx.host_value(slot.name, i) : Tensor());
      }
      if (count > 0 || slot.arity != Arity::kOptional) continue;
      inputs_.emplace_back();
      add_value(Tensor());
    }
    slots_.push_back(static_cast<std::uint32_t>(inputs_.size()));
    for (const Known& known : known_)
      values_.push_back(known.value.defined() ? &known.view : nullptr);
    abi_.struct_size = sizeof abi_;
    abi_.attrs = attributes_.data();
    abi_.attr_count = attributes_.size();
    abi_.inputs = inputs_.data();
    abi_.input_slots = slots_.data();
    abi_.input_values = values_.data();
    abi_.input_slot_count = static_cast<std::uint32_t>(ctx.schema().inputs().size());
    abi_.output_slot_count = static_cast<std::uint32_t>(ctx.schema().outputs().size());
    abi_.sink = sink_.handle();
    abi_.set_output = &Sink::set_output;
  }
  Inference(const Inference&) = delete;
  Inference& operator=(const Inference&) = delete;

  [[nodiscard]] const loci_inference& abi() const { return abi_; }

 private:
  // A value that is known on the host, and how the plugin sees it.
  struct Known {
    Tensor value;
    Shape shape;
    loci_view view{};
  };

  void add_value(const Tensor& value) {
    Known& known = known_.emplace_back();
    if (!value.defined()) return;
    known.value = value;
    known.shape = value.shape();
    known.view.data = const_cast<void*>(elements(value));
    known.view.dims = known.shape.data();
    known.view.rank = known.shape.rank();
    known.view.dtype = static_cast<loci_dtype>(value.dtype());
    known.view.bytes = static_cast<std::uint64_t>(value.numel()) * dtype_size(value.dtype());
    known.view.residence = LOCI_RESIDENCE_HOST;
  }
  // An input that gives extents is of one of the two.
  static const void* elements(const Tensor& value) {
    if (value.dtype() == DType::kInt32) return value.data<std::int32_t>();
    return value.data<std::int64_t>();
  }

  core::AbiAttributes attributes_;
  std::vector<loci_type> inputs_;
  std::deque<Known> known_;  // by flat input; does not move, as views point into it
  std::vector<const loci_view*> values_;
  std::vector<std::uint32_t> slots_;
  Sink sink_;
  loci_inference abi_{};
};

// A hole would be an output of no dtype.
void check_complete(const InferContext& ctx) {
  for (std::size_t slot = 0; slot < ctx.outputs().size(); ++slot) {
    for (const TensorType& type : ctx.outputs()[slot]) {
      if (type.dtype != DType::kNone) continue;
      core::raise(ErrorCode::kInternal, "[{}] inference leaves a result of output '{}' unset",
                  ctx.schema().name(), ctx.schema().outputs()[slot].name);
    }
  }
}

// With the arguments behind the message.
[[noreturn]] void fail_with(const InferContext& ctx, const Error& error) {
  try {
    ctx.fail_with(error.what());
  } catch (const Error& told) {
    throw Error(told.code(), told.what(), error.details());
  }
}

void run(const PluginOp& op, InferContext& ctx) {
  const Inference inference(ctx);
  try {
    call_plugin_op(
        "infer", [&] { return op.functions.infer(op.plugin->handle(), op.def, &inference.abi()); });
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInvalidArgument) throw error_of_op(op.name, error);
    fail_with(ctx, error);
  }
  check_complete(ctx);
}

}  // namespace

InferFn plugin_inference(PluginOp op) {
  return [op = std::move(op)](InferContext& ctx) { run(op, ctx); };
}

}  // namespace loci::ops
