#include "tests/fuzz/operator_generator.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "tests/fuzz/random_shape.h"

namespace loci::fuzz {
namespace {

// Collects what the ops take by default, what their documentation names besides, and nonsense.
std::vector<std::string> collect_words(ops::OpRegistry& registry) {
  std::set<std::string> words{"max", "avg", "SAME", "VALID", "EXPLICIT", "", "gelu", "\n\xff"};
  for (const std::string& name : registry.names()) {
    for (const ops::AttributeSpec& spec : registry.get(name).attributes()) {
      const auto* text = std::get_if<std::string>(&spec.default_value);
      if (text != nullptr) words.insert(*text);
    }
  }
  return {words.begin(), words.end()};
}

DType any_dtype(Dice& dice) {
  return static_cast<DType>(1 + dice.below(static_cast<std::size_t>(kFloat64)));
}

}  // namespace

OperatorGenerator::OperatorGenerator(ops::OpRegistry& registry, std::uint64_t seed)
    : dice_(seed), attribute_(dice_, collect_words(registry)) {}

DType OperatorGenerator::dtype_for(const ops::InputSlot& slot) {
  if (dice_.chance(3)) return any_dtype(dice_);
  if (slot.dtypes.contains(common_) && dice_.chance(90)) return common_;
  DType dtype = any_dtype(dice_);
  while (!slot.dtypes.contains(dtype)) dtype = any_dtype(dice_);
  return dtype;
}

std::size_t OperatorGenerator::count_for(const ops::InputSlot& slot) {
  if (dice_.chance(1)) return dice_.below(100);
  switch (slot.arity) {
    case ops::Arity::kRequired: return dice_.chance(2) ? 2 * dice_.below(2) : 1;
    case ops::Arity::kOptional: return dice_.below(2);
    default: return dice_.below(5);
  }
}

OperatorCase OperatorGenerator::fresh(const ops::OpSchema& schema) {
  OperatorCase subject{&schema, {}, {}};
  const Shape shape = random_shape(dice_);
  common_ = any_dtype(dice_);
  for (const ops::InputSlot& slot : schema.inputs()) {
    subject.inputs.emplace_back(count_for(slot));
    for (ops::TensorType& type : subject.inputs.back()) {
      type = {dtype_for(slot), related_shape(dice_, shape)};
    }
  }
  for (const ops::AttributeSpec& spec : schema.attributes()) {
    if (dice_.chance(spec.required ? 1 : 50)) continue;
    const bool keeps = dice_.chance(20) && !spec.required;
    subject.attributes[spec.name] =
        keeps ? spec.default_value : attribute_.of_kind(spec.default_value);
  }
  return subject;
}

OperatorCase OperatorGenerator::mutated(OperatorCase original) {
  for (std::size_t changes = 1 + dice_.below(3); changes > 0; --changes) change(original);
  return original;
}

void OperatorGenerator::change(OperatorCase& subject) {
  if (dice_.chance(2)) {
    subject.attributes["attribute_of_no_op"] = attribute_.any();
  } else if (subject.schema->attributes().empty() || dice_.chance(50)) {
    change_input(subject);
  } else {
    change_attribute(subject);
  }
}

void OperatorGenerator::change_input(OperatorCase& subject) {
  if (subject.inputs.empty()) return;
  const std::size_t at = dice_.below(subject.inputs.size());
  auto& arguments = subject.inputs[at];
  const ops::InputSlot& slot = subject.schema->inputs()[at];
  if (arguments.empty() || dice_.chance(5)) {
    arguments.resize(count_for(slot), {dtype_for(slot), random_shape(dice_)});
    return;
  }
  ops::TensorType& type = arguments[dice_.below(arguments.size())];
  switch (dice_.below(6)) {
    case 0:
      common_ = any_dtype(dice_);
      for (auto& others : subject.inputs) {
        for (ops::TensorType& other : others) other.dtype = common_;
      }
      break;
    case 1: type.dtype = dtype_for(slot); break;
    case 2: type.shape = with_unknown_extent(dice_, type.shape); break;
    default: type.shape = related_shape(dice_, type.shape); break;
  }
}

void OperatorGenerator::change_attribute(OperatorCase& subject) {
  const ops::AttributeSpec& spec = dice_.one_of(subject.schema->attributes());
  if (dice_.chance(3)) {
    subject.attributes[spec.name] = attribute_.any();
  } else if (dice_.chance(3)) {
    subject.attributes.erase(spec.name);
  } else {
    const auto given = subject.attributes.find(spec.name);
    subject.attributes[spec.name] =
        attribute_.near(given == subject.attributes.end() ? spec.default_value : given->second);
  }
}

}  // namespace loci::fuzz
