#include "framework/dispatch/decomposition.h"

#include <set>
#include <utility>

#include "framework/core/raise.h"
#include "framework/dispatch/binding.h"

namespace loci::dispatch {
namespace {

// One that consists of others that consist of others is well below.
constexpr int kDeepest = 8;

template <class SchemaSlot>
ArgumentSlots argument_slots(const std::vector<SchemaSlot>& slots, const ops::TypeSlots& types) {
  ArgumentSlots arguments;
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    std::vector<ArgumentType>& list = arguments.emplace_back();
    for (const ops::TensorType& type : types[slot]) {
      list.push_back({type.dtype, type.shape, abi_residence(slots[slot].residence)});
    }
  }
  return arguments;
}

// The call with the types of its arguments. `attributes` is complete and outlives the result.
TypedOperator typed(const ops::ListedCall& call, const Attributes& attributes,
                    const std::vector<ops::TensorType>& types) {
  const ops::OpSchema& schema = *call.schema;
  std::vector<std::vector<ops::InferArgument>> arguments(schema.inputs().size());
  TypedOperator op{schema, attributes, ops::TypeSlots(schema.inputs().size()), {}, {}};
  for (const ops::ListedCall::Slot& slot : call.inputs) {
    const auto index = static_cast<std::size_t>(schema.input_index(slot.name));
    for (const std::int32_t value : slot.values) {
      const ops::TensorType& type = types[static_cast<std::size_t>(value)];
      arguments[index].push_back({type, {}, {}});
      op.inputs[index].push_back(type);
    }
  }
  ops::InferContext context(schema, std::move(arguments), attributes);
  context.run();
  op.outputs = context.outputs();
  return op;
}

// Refuses a call unless all that there is to know of its results is known before the run.
void check_call(const ops::OpSchema& op, const ops::ListedCall& call) {
  const ops::OpSchema& schema = *call.schema;
  bool reads_host = false;
  for (const ops::ListedCall::Slot& slot : call.inputs) {
    const auto index = static_cast<std::size_t>(schema.input_index(slot.name));
    const bool on_host = schema.inputs()[index].residence == ops::Residence::kHost;
    reads_host = reads_host || (on_host && !slot.values.empty());
  }
  if (schema.only_computes() && !reads_host) return;
  core::raise(ErrorCode::kInternal,
              "[{}] its decomposition calls {}, which does more than to compute new values on its "
              "device from values there; use other ops",
              op.name(), schema.name());
}

// Results of their own: an input, or a value that is another output as well, is copied.
std::vector<std::vector<std::int32_t>> distinct_outputs(const ops::ValueSlots& outputs,
                                                        std::size_t given) {
  std::vector<std::vector<std::int32_t>> numbers;
  std::set<std::int32_t> taken;
  for (const auto& slot : outputs) {
    std::vector<std::int32_t>& list = numbers.emplace_back();
    for (const ops::Value& value : slot) {
      const bool is_new =
          value.id >= static_cast<std::int32_t>(given) && taken.insert(value.id).second;
      const ops::Value own =
          is_new ? value : OpCall<ops::Value>("assign").input("x", value).result();
      list.push_back(own.id);
    }
  }
  return numbers;
}

// An operator all of whose outputs are empty: whatever makes them will do, as nothing is computed.
Decomposition empty_values(const TypedOperator& op, std::vector<ops::TensorType> given) {
  ops::CallList list(std::move(given));
  Decomposition result;
  for (const auto& slot : op.outputs) {
    std::vector<std::int32_t>& numbers = result.outputs.emplace_back();
    for (const ops::TensorType& type : slot) {
      OpCall<ops::Value> call("fill_constant");
      call.attr("shape", type.shape.dims()).attr("value", 0.0).attr("dtype", type.dtype);
      numbers.push_back(list.emit(call).front().id);
    }
  }
  result.types = list.types();
  result.calls = list.take_calls();
  return result;
}

// Returns the calls that the schema writes; nothing where it writes nothing.
std::optional<Decomposition> written(const TypedOperator& op) {
  std::vector<ops::TensorType> given;
  for (const auto& slot : op.inputs) given.insert(given.end(), slot.begin(), slot.end());
  if (describe(op).writes_nothing()) return empty_values(op, std::move(given));
  ops::CallList list(given);
  ops::ValueSlots inputs;
  std::size_t next = 0;
  for (const auto& slot : op.inputs) {
    std::vector<ops::Value>& values = inputs.emplace_back();
    for (std::size_t i = 0; i < slot.size(); ++i) values.push_back(list.value(next++));
  }
  ops::DecomposeContext context(op.schema, op.attributes, inputs, op.outputs, list);
  if (!context.run()) return std::nullopt;
  Decomposition result;
  result.outputs = distinct_outputs(context.outputs(), given.size());
  result.types = list.types();
  result.calls = list.take_calls();
  return result;
}

class Decomposer {
 public:
  Decomposer(device::Device& device, KernelCache* cache) : device_(device), cache_(cache) {}

  std::optional<Decomposition> run(const TypedOperator& op, int depth, Binding* bound = nullptr) {
    if (!op.schema.decompose_fn()) return std::nullopt;
    if (depth > kDeepest) {
      core::raise(ErrorCode::kInternal, "[{}] its decomposition leads back to it, or too deep",
                  op.schema.name());
    }
    Binding own = bind_kernel(device_, describe(op), cache_);
    if (own.found()) {
      if (bound != nullptr) *bound = std::move(own);
      return std::nullopt;
    }
    std::optional<Decomposition> result = written(op);
    if (result) result = flattened(op, *result, depth);
    if (result) result->refusals = std::move(own.refusals);
    return result;
  }

 private:
  // With the calls of its calls in place of those that are decomposed themselves; nothing if the
  // device cannot run one of them.
  std::optional<Decomposition> flattened(const TypedOperator& op, const Decomposition& whole,
                                         int depth) {
    Decomposition flat;
    std::vector<std::int32_t> numbers(whole.types.size());  // in `flat`, by number in `whole`
    const std::size_t given = whole.types.size() - made_by(whole);
    for (std::size_t i = 0; i < given; ++i) {
      numbers[i] = static_cast<std::int32_t>(i);
      flat.types.push_back(whole.types[i]);
    }
    for (const ops::ListedCall& call : whole.calls) {
      check_call(op.schema, call);
      const Attributes attributes = call.schema->complete(call.attributes);
      const TypedOperator part = typed(call, attributes, whole.types);
      if (bind_kernel(device_, describe(part), cache_).found()) {
        add(call, whole.types, &numbers, &flat);
        continue;
      }
      const std::optional<Decomposition> inner = run(part, depth + 1);
      if (!inner) return std::nullopt;
      splice(*inner, call, &numbers, &flat);
    }
    for (const auto& slot : whole.outputs) {
      std::vector<std::int32_t>& list = flat.outputs.emplace_back();
      for (const std::int32_t number : slot) list.push_back(numbers[at(number)]);
    }
    return flat;
  }

  static std::size_t at(std::int32_t number) { return static_cast<std::size_t>(number); }

  static std::size_t made_by(const Decomposition& decomposition) {
    std::size_t made = 0;
    for (const ops::ListedCall& call : decomposition.calls) made += at(call.output_count());
    return made;
  }

  static void add(ops::ListedCall call, const std::vector<ops::TensorType>& types,
                  std::vector<std::int32_t>* numbers, Decomposition* flat) {
    for (ops::ListedCall::Slot& slot : call.inputs) {
      for (std::int32_t& value : slot.values) value = (*numbers)[at(value)];
    }
    const std::size_t first =
        at(std::exchange(call.first_output, static_cast<std::int32_t>(flat->types.size())));
    for (std::size_t i = first; i < first + at(call.output_count()); ++i) {
      (*numbers)[i] = static_cast<std::int32_t>(flat->types.size());
      flat->types.push_back(types[i]);
    }
    flat->calls.push_back(std::move(call));
  }

  // `inner` is the decomposition of `call`.
  static void splice(const Decomposition& inner, const ops::ListedCall& call,
                     std::vector<std::int32_t>* numbers, Decomposition* flat) {
    std::vector<std::int32_t> inner_numbers(inner.types.size());  // in `flat`
    std::size_t next = 0;
    for (const ops::InputSlot& slot : call.schema->inputs()) {
      for (const ops::ListedCall::Slot& filled : call.inputs) {
        if (filled.name != slot.name) continue;
        for (const std::int32_t value : filled.values)
          inner_numbers[next++] = (*numbers)[at(value)];
      }
    }
    for (const ops::ListedCall& part : inner.calls) add(part, inner.types, &inner_numbers, flat);
    std::size_t result = at(call.first_output);
    for (const auto& slot : inner.outputs) {
      for (const std::int32_t number : slot) (*numbers)[result++] = inner_numbers[at(number)];
    }
  }

  device::Device& device_;
  KernelCache* cache_;
};

}  // namespace

OpDesc describe(const TypedOperator& op) {
  ArgumentSlots inputs = argument_slots(op.schema.inputs(), op.inputs);
  for (std::size_t slot = 0; slot < op.constants.size(); ++slot) {
    for (std::size_t i = 0; i < inputs[slot].size(); ++i) {
      inputs[slot][i].is_constant = op.constants[slot][i];
    }
  }
  return {op.schema, op.attributes, std::move(inputs),
          argument_slots(op.schema.outputs(), op.outputs)};
}

std::optional<Decomposition> decompose(const TypedOperator& op, device::Device& device,
                                       KernelCache* cache, Binding* own) {
  return Decomposer(device, cache).run(op, /*depth=*/0, own);
}

}  // namespace loci::dispatch
