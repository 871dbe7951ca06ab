#include <algorithm>
#include <array>
#include <limits>
#include <loci/inspect_ops.hpp>
#include <string_view>
#include <utility>
#include <variant>

#include "framework/ops/op_registry.h"
#include "framework/ops/op_schema.h"

namespace loci {
inline namespace v0 {
namespace inspect {
namespace {

using loci::ops::AttributeSpec;
using loci::ops::OpSchema;

// Names kinds by index in Attribute.
constexpr std::array<const char*, std::variant_size_v<AttributeValue>> kReportedKinds{
    "bool", "int64", "float64", "string", "dtype", "int64s", "float64s", "strings"};

std::string reported(loci::ops::Arity arity) {
  switch (arity) {
    case loci::ops::Arity::kOptional: return "optional";
    case loci::ops::Arity::kVariadic: return "variadic";
    case loci::ops::Arity::kRequired: break;
  }
  return "required";
}

std::string reported(loci::ops::Residence residence) {
  switch (residence) {
    case loci::ops::Residence::kHost: return "host";
    case loci::ops::Residence::kMetadata: return "metadata";
    case loci::ops::Residence::kEither: return "either";
    case loci::ops::Residence::kDevice: break;
  }
  return "device";
}

std::string reported(loci::ops::Extent extent) {
  switch (extent) {
    case loci::ops::Extent::kHostValues: return "host_values";
    case loci::ops::Extent::kBounded: return "bounded";
    case loci::ops::Extent::kInferred: break;
  }
  return "inferred";
}

std::vector<DType> listed(loci::ops::DTypeSet set) {
  std::vector<DType> dtypes;
  for (auto code = static_cast<std::int32_t>(DType::kBool);
       code <= static_cast<std::int32_t>(DType::kFloat64); ++code) {
    if (set.contains(static_cast<DType>(code))) dtypes.push_back(static_cast<DType>(code));
  }
  return dtypes;
}

// The smallest and the largest number stand for no limit.
template <class Number>
std::optional<Attribute> limit(Number value, Number none) {
  return value == none ? std::nullopt : std::optional<Attribute>(value);
}

void add_limits(const AttributeSpec& spec, OpAttribute* attribute) {
  using Integers = std::numeric_limits<std::int64_t>;
  using Reals = std::numeric_limits<double>;
  const Attribute& value = spec.default_value;
  if (!spec.limited) return;
  if (std::holds_alternative<std::int64_t>(value) ||
      std::holds_alternative<std::vector<std::int64_t>>(value)) {
    attribute->minimum = limit(spec.integer_minimum, Integers::lowest());
    attribute->maximum = limit(spec.integer_maximum, Integers::max());
  } else {
    attribute->minimum = limit(spec.real_minimum, Reals::lowest());
    attribute->maximum = limit(spec.real_maximum, Reals::max());
  }
}

OpAttribute reported(const AttributeSpec& spec) {
  OpAttribute attribute;
  attribute.name = spec.name;
  attribute.kind = kReportedKinds.at(spec.default_value.index());
  if (!spec.required) attribute.default_value = spec.default_value;
  add_limits(spec, &attribute);
  attribute.choices = spec.choices;
  attribute.meaning = spec.meaning;
  return attribute;
}

Op reported(const OpSchema& schema) {
  Op op;
  op.name = schema.name();
  op.plugin = schema.plugin();
  op.version = schema.version();
  op.meaning = schema.meaning();
  op.accuracy = schema.accuracy();
  for (const loci::ops::InputSlot& slot : schema.inputs()) {
    op.inputs.push_back({slot.name, listed(slot.dtypes), reported(slot.arity),
                         reported(slot.residence), slot.gives_extents, slot.decides});
  }
  for (const loci::ops::OutputSlot& slot : schema.outputs()) {
    op.outputs.push_back({slot.name, reported(slot.arity), reported(slot.residence),
                          slot.dtype.to_string(), reported(slot.extent), slot.updates, slot.count});
  }
  for (const AttributeSpec& spec : schema.attributes()) op.attributes.push_back(reported(spec));
  op.is_random = schema.is_random();
  op.is_control_flow = schema.control() != loci::ops::Control::kNone;
  op.states_cost = schema.states_cost();
  op.is_decomposable = schema.decompose_fn() != nullptr;
  op.is_differentiable = schema.is_differentiable();
  op.gradient_ops = schema.gradient_ops();
  op.not_capturable = schema.capture_refusal();
  return op;
}

}  // namespace

std::vector<Op> ops() {
  loci::ops::OpRegistry& registry = loci::ops::op_registry();
  registry.supply();
  std::vector<Op> all;
  for (const std::string& name : registry.names()) all.push_back(reported(registry.get(name)));
  return all;
}

Op op(const std::string& name) { return reported(loci::ops::op_registry().get(name)); }

}  // namespace inspect
}  // namespace v0
}  // namespace loci
