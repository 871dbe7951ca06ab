#include "framework/ops/decompose_context.h"

#include <algorithm>

#include "framework/core/raise.h"

namespace loci::ops {
namespace {

std::size_t known_slot(int index, std::string_view name, const OpSchema& schema) {
  if (index < 0) {
    core::raise(ErrorCode::kInternal,
                "[{}] its decomposition asks for the slot '{}', which it lacks", schema.name(),
                name);
  }
  return static_cast<std::size_t>(index);
}

std::string text_of(const TensorType& type) {
  return fmt::format("{}{}", dtype_name(type.dtype), type.shape.to_string());
}

}  // namespace

DecomposeContext::DecomposeContext(const OpSchema& schema, const Attributes& attributes,
                                   const ValueSlots& inputs, const TypeSlots& outputs,
                                   Emitter& emitter)
    : schema_(schema),
      attributes_(attributes),
      inputs_(inputs),
      types_(outputs),
      emitter_(emitter) {
  for (const std::vector<TensorType>& slot : outputs) outputs_.emplace_back(slot.size());
}

std::size_t DecomposeContext::input_count(std::string_view slot) const {
  return inputs_[known_slot(schema_.input_index(slot), slot, schema_)].size();
}

Value DecomposeContext::input(std::string_view slot, std::size_t index) const {
  const std::vector<Value>& values = inputs_[known_slot(schema_.input_index(slot), slot, schema_)];
  return index < values.size() ? values[index] : Value{};
}

const TensorType& DecomposeContext::output_type(std::string_view slot, std::size_t index) const {
  return types_[known_slot(schema_.output_index(slot), slot, schema_)].at(index);
}

std::size_t DecomposeContext::output_count(std::string_view slot) const {
  return types_[known_slot(schema_.output_index(slot), slot, schema_)].size();
}

void DecomposeContext::set_output(std::string_view slot, Value value, std::size_t index) {
  std::vector<Value>& values = outputs_[known_slot(schema_.output_index(slot), slot, schema_)];
  if (index >= values.size()) {
    core::raise(ErrorCode::kInternal,
                "[{}] its decomposition sets result {} of output '{}', which has {}",
                schema_.name(), index, slot, values.size());
  }
  values[index] = value;
}

bool DecomposeContext::run() {
  schema_.decompose_fn()(*this);
  const bool writes =
      std::any_of(outputs_.begin(), outputs_.end(), [](const std::vector<Value>& slot) {
        return std::any_of(slot.begin(), slot.end(), [](Value value) { return value.defined(); });
      });
  if (writes) check_outputs();
  return writes;
}

void DecomposeContext::check_outputs() const {
  for (std::size_t slot = 0; slot < outputs_.size(); ++slot) {
    for (std::size_t i = 0; i < outputs_[slot].size(); ++i) {
      const std::string& name = schema_.outputs()[slot].name;
      const Value value = outputs_[slot][i];
      if (!value.defined()) {
        core::raise(ErrorCode::kInternal, "[{}] its decomposition leaves output '{}' unset",
                    schema_.name(), name);
      }
      if (type(value) == types_[slot][i]) continue;
      core::raise(ErrorCode::kInternal,
                  "[{}] its decomposition gives {} for output '{}', which is {}", schema_.name(),
                  text_of(type(value)), name, text_of(types_[slot][i]));
    }
  }
}

}  // namespace loci::ops
