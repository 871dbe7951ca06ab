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
  arg.layout = type.is_constant ? LOCI_LAYOUT_ANY : LOCI_LAYOUT_PLAIN;
  arg.flags = type.is_constant ? LOCI_ARG_CONSTANT : 0;
  arg.residence = type.residence;
  return arg;
}

void append_signature(const std::vector<loci_arg>& args, bool ranks_only, std::string* text) {
  for (const loci_arg& arg : args) {
    *text += fmt::format("|{}.{}{}", arg.dtype, arg.residence,
                         (arg.flags & LOCI_ARG_CONSTANT) != 0 ? "c" : "");
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
    : name_(schema.name()), attributes_(attributes) {
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

bool OpDesc::writes_nothing() const {
  bool writes = false;
  for (std::size_t i = 0; i < outputs_.args.size(); ++i) {
    if (outputs_.args[i].dtype == LOCI_DTYPE_NONE) continue;
    if (outputs_.shapes[i].numel() > 0) return false;
    writes = true;
  }
  return writes;
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
