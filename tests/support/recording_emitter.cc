#include "tests/support/recording_emitter.h"

#include <fmt/ranges.h>

#include <stdexcept>
#include <utility>

#include "framework/ops/op_registry.h"

namespace loci::test_support {
namespace {

std::string attribute_text(const ops::OpSchema& schema, const Attributes& attributes) {
  std::string text;
  for (const auto& [name, value] : attributes) {
    const ops::AttributeSpec& spec = *schema.find_attribute(name);
    if (!spec.required && value == spec.default_value) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", name, to_string(value));
  }
  return text;
}

}  // namespace

ops::Value RecordingEmitter::add(std::string name, const ops::TensorType& type) {
  values_.push_back({std::move(name), type});
  return {this, static_cast<std::int32_t>(values_.size()) - 1};
}

std::vector<ops::Value> RecordingEmitter::emit(const OpCall<ops::Value>& call) {
  const ops::OpSchema& schema = ops::op_registry().get(call.type);
  const Attributes attributes = schema.complete(call.attributes);
  std::vector<std::vector<ops::InferArgument>> inputs(schema.inputs().size());
  std::vector<std::string> arguments;
  for (const auto& slot : call.inputs) {
    const int index = schema.input_index(slot.name);
    if (index < 0) throw std::logic_error(call.type + " has no input " + slot.name);
    for (const ops::Value& value : slot.values) {
      inputs[static_cast<std::size_t>(index)].push_back({type(value), name(value), {}});
      arguments.push_back(fmt::format("{}: {}", slot.name, name(value)));
    }
  }
  ops::InferContext ctx(schema, std::move(inputs), attributes);
  ctx.run();

  const std::string label = fmt::format("%{}", calls_.size());
  if (std::string text = attribute_text(schema, attributes); !text.empty()) {
    arguments.push_back(std::move(text));
  }
  calls_.push_back(fmt::format("{} = {}({})", label, call.type, fmt::join(arguments, ", ")));
  std::vector<ops::TensorType> types;
  for (const auto& slot : ctx.outputs()) types.insert(types.end(), slot.begin(), slot.end());
  std::vector<ops::Value> results;
  for (const ops::TensorType& type : types) {
    results.push_back(
        add(types.size() == 1 ? label : fmt::format("{}.{}", label, results.size()), type));
  }
  return results;
}

ops::TensorType RecordingEmitter::type(ops::Value value) const {
  return values_.at(static_cast<std::size_t>(value.id)).type;
}

std::string RecordingEmitter::name(ops::Value value) const {
  return values_.at(static_cast<std::size_t>(value.id)).name;
}

}  // namespace loci::test_support
