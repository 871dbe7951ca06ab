#include "framework/ops/call_list.h"

#include <utility>

#include "framework/core/raise.h"
#include "framework/ops/op_registry.h"

namespace loci::ops {

std::vector<Value> CallList::emit(const OpCall<Value>& call) {
  const OpSchema& schema = op_registry().get(call.type);
  ListedCall listed{&schema, call.attributes, {}, static_cast<std::int32_t>(types_.size())};
  std::vector<std::vector<InferArgument>> arguments(schema.inputs().size());
  for (const OpCall<Value>::Slot& slot : call.inputs) {
    const int index = schema.input_index(slot.name);
    if (index < 0) {
      core::raise(ErrorCode::kInternal, "[{}] is called with the input '{}', which it lacks",
                  call.type, slot.name);
    }
    ListedCall::Slot& filled = listed.inputs.emplace_back();
    filled.name = slot.name;
    for (const Value& value : slot.values) {
      filled.values.push_back(value.id);
      arguments[static_cast<std::size_t>(index)].push_back({type(value), "of another call", {}});
    }
  }
  const Attributes complete = schema.complete(call.attributes);
  InferContext context(schema, std::move(arguments), complete);
  context.run();
  std::vector<Value> outputs;
  for (const std::vector<TensorType>& slot : context.outputs()) {
    for (const TensorType& output : slot) {
      outputs.push_back({this, static_cast<std::int32_t>(types_.size())});
      types_.push_back(output);
    }
    listed.output_counts.push_back(static_cast<std::int32_t>(slot.size()));
  }
  calls_.push_back(std::move(listed));
  return outputs;
}

Value CallList::value(std::size_t number) {
  return types_[number].dtype == DType::kNone ? Value{}
                                              : Value{this, static_cast<std::int32_t>(number)};
}

}  // namespace loci::ops
