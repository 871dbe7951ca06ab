#include "framework/dispatch/op_desc.h"

#include <fmt/format.h>

#include "framework/core/abi/error.h"

namespace loci::dispatch {
namespace {

loci_arg to_arg(const ArgumentType& type, const Shape& shape) {
  loci_arg arg{};
  arg.dims = shape.data();
  arg.dtype = static_cast<loci_dtype>(type.dtype);
  arg.rank = shape.rank();
  arg.layout = type.is_constant ? LOCI_LAYOUT_ANY : type.layout;
  arg.flags = type.is_constant ? LOCI_ARG_CONSTANT : 0;
  arg.residence = type.residence;
  return arg;
}

void append_signature(const std::vector<loci_arg>& args, bool ranks_only, std::string* text) {
  for (const loci_arg& arg : args) {
    *text += fmt::format("|{}.{}{}", arg.dtype, arg.residence,
                         (arg.flags & LOCI_ARG_CONSTANT) != 0 ? "c" : "");
    if (arg.layout != LOCI_LAYOUT_PLAIN) *text += fmt::format("l{}", arg.layout);
    for (std::int32_t i = 0; i < arg.rank; ++i) {
      *text += ranks_only ? std::string(",") : fmt::format(",{}", arg.dims[i]);
    }
  }
}

}  // namespace

template <class SchemaSlot>
void OpDesc::flatten(const std::vector<SchemaSlot>& schema_slots, const ArgumentSlots& from,
                     Arguments* to) {
  std::vector<ArgumentType> flat;
  for (std::size_t slot = 0; slot < schema_slots.size(); ++slot) {
    to->slots.push_back(static_cast<std::uint32_t>(flat.size()));
    flat.insert(flat.end(), from[slot].begin(), from[slot].end());
    const bool absent = from[slot].empty() && schema_slots[slot].arity == ops::Arity::kOptional;
    if (absent) flat.emplace_back();
  }
  to->slots.push_back(static_cast<std::uint32_t>(flat.size()));
  // The shapes are complete before anything points at them.
  for (const ArgumentType& type : flat) to->shapes.push_back(type.shape);
  for (std::size_t i = 0; i < flat.size(); ++i) to->args.push_back(to_arg(flat[i], to->shapes[i]));
}

OpDesc::OpDesc(const ops::OpSchema& schema, const Attributes& attributes,
               const ArgumentSlots& inputs, const ArgumentSlots& outputs)
    : schema_(schema), name_(schema.name()), attributes_(attributes) {
  for (const auto& [name, value] : attributes) {
    attribute_text_ += fmt::format("{}={};", name, to_string(value));
  }
  flatten(schema.inputs(), inputs, &inputs_);
  flatten(schema.outputs(), outputs, &outputs_);
  abi_.struct_size = sizeof(loci_op_desc);
  abi_.version = static_cast<std::uint32_t>(schema.version());
  abi_.op = core::to_abi(name_);
  abi_.attrs = attributes_.data();
  abi_.attr_count = attributes_.size();
  abi_.inputs = inputs_.args.data();
  abi_.outputs = outputs_.args.data();
  abi_.input_slots = inputs_.slots.data();
  abi_.output_slots = outputs_.slots.data();
  abi_.input_slot_count = static_cast<std::uint32_t>(schema.inputs().size());
  abi_.output_slot_count = static_cast<std::uint32_t>(schema.outputs().size());
}

loci_op_desc OpDesc::with_cost() const {
  loci_op_desc priced = abi_;
  if (!schema_.cost_fn()) return priced;
  Attributes attributes;
  for (std::size_t i = 0; i < attributes_.size(); ++i) {
    const loci_attr& attr = attributes_.data()[i];
    attributes.emplace(core::from_abi(attr.name), core::attribute_from_abi(attr));
  }
  ops::InferContext context(schema_, arguments_of(inputs_), attributes);
  context.set_outputs(types_of(outputs_));
  const ops::Cost cost = schema_.cost_fn()(context);
  priced.flops = static_cast<std::uint64_t>(cost.flops);
  priced.bytes = static_cast<std::uint64_t>(cost.bytes);
  return priced;
}

std::vector<std::vector<ops::TensorType>> OpDesc::types_of(const Arguments& arguments) {
  std::vector<std::vector<ops::TensorType>> types;
  for (std::size_t slot = 0; slot + 1 < arguments.slots.size(); ++slot) {
    std::vector<ops::TensorType>& list = types.emplace_back();
    for (std::uint32_t i = arguments.slots[slot]; i < arguments.slots[slot + 1]; ++i) {
      const auto dtype = static_cast<DType>(arguments.args[i].dtype);
      if (dtype != DType::kNone) list.push_back({dtype, arguments.shapes[i]});
    }
  }
  return types;
}

std::vector<std::vector<ops::InferArgument>> OpDesc::arguments_of(const Arguments& arguments) {
  std::vector<std::vector<ops::InferArgument>> result;
  for (const std::vector<ops::TensorType>& slot : types_of(arguments)) {
    std::vector<ops::InferArgument>& list = result.emplace_back();
    for (const ops::TensorType& type : slot) list.push_back({type, {}, {}});
  }
  return result;
}

bool OpDesc::writes_nothing() const {
  bool writes = false;
  for (std::size_t i = 0; i < outputs_.args.size(); ++i) {
    if (outputs_.args[i].dtype == LOCI_DTYPE_NONE) continue;
    if (outputs_.shapes[i].numel() > 0) return false;
    writes = true;
  }
  return writes;
}

bool OpDesc::draws_from_counted_state() const {
  if (!schema_.is_random()) return false;
  for (std::size_t slot = 0; slot < schema_.inputs().size(); ++slot) {
    if (schema_.inputs()[slot].name != "state") continue;
    return inputs_.shapes[inputs_.slots[slot]] == Shape{3};
  }
  return false;
}

std::string OpDesc::signature(bool ranks_only) const {
  return name_ + "{" + attribute_text_ + "}" + types(ranks_only);
}

std::string OpDesc::types(bool ranks_only) const {
  std::string text;
  append_signature(inputs_.args, ranks_only, &text);
  text += "->";
  append_signature(outputs_.args, ranks_only, &text);
  return text;
}

}  // namespace loci::dispatch
